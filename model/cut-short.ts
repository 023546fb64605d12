/** Why a trial that was ended can't be judged although neither the target nor the harness failed; shown to the user as is. */
export class CutShortError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CutShortError';
  }
}
