import { bisect } from '../../model/bisection.ts';

/** Beyond this, the tail is too small for a double. */
const FARTHEST = 38;

/** From here on, the continued fraction is more precise. */
const FRACTION_FROM = 7.071_067_811_865_47;

/** Numerator and denominator of Hart's rational function, highest power first. */
const NUMERATOR = [
  3.526_249_659_989_11e-2, 0.700_383_064_443_688, 6.373_962_203_531_65, 33.912_866_078_383, 112.079_291_497_871, 221.213_596_169_931,
  220.206_867_912_376,
];
const DENOMINATOR = [
  8.838_834_764_831_84e-2, 1.755_667_163_182_64, 16.064_177_579_207, 86.780_732_202_946_1, 296.564_248_779_674, 637.333_633_378_831,
  793.826_512_519_948, 440.413_735_824_752,
];

/**
 * The standard normal distribution function, to about 15 digits.
 *
 * Source: G. West, "Better approximations to cumulative normal functions", Wilmott Magazine, 2005, after J. F. Hart,
 * "Computer Approximations", 1968, function 5666.
 */
export function normalCdf(x: number): number {
  const tail = upperTail(Math.abs(x));
  return x > 0 ? 1 - tail : tail;
}

function upperTail(x: number): number {
  if (x > FARTHEST) return 0;
  const density = Math.exp((-x * x) / 2);
  if (x < FRACTION_FROM) return (density * polynomial(NUMERATOR, x)) / polynomial(DENOMINATOR, x);
  const fraction = x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))));
  return density / fraction / Math.sqrt(2 * Math.PI);
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}

/** The value below which a standard normal variable lies with this probability. @param probability more than 0, less than 1 */
export function normalQuantile(probability: number): number {
  // The lower tail keeps its digits, the upper one loses them to 1.
  return probability > 0.5 ? -normalQuantile(1 - probability) : bisect(normalCdf, probability, -FARTHEST, 0);
}
