/** Why a trial that was ended can't be judged, where that is neither the target's error nor ours: told to its user as it is. */
export class CutShortError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CutShortError';
  }
}
