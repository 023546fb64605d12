/** The value of an option that is a whole number. @throws Error that names the option, if it is none or too small */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) throw new Error(`--${name} ${text}: give a whole number from ${least}`);
  return value;
}
