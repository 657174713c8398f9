/**
 * Distribution functions and quantiles, by hand: everything here comes from the incomplete beta function, a series for the
 * normal distribution, and bisection.
 */

/** Quantile of the normal distribution for two-sided 95 %. */
export const Z_95 = 1.959963984540054

/** The zero of a function that grows from `low` to `high`, by halving until the ends touch. */
export function bisect(growing: (x: number) => number, low: number, high: number): number {
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (growing(middle) < 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** ln Γ(x) for x > 0, by Lanczos' approximation (g = 7, nine terms); relative error about 1e-15. */
export function lnGamma(x: number): number {
  const terms = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ]
  const shifted = x - 1
  const sum = terms.reduce((total, term, index) => total + term / (shifted + index + 1), 0.9999999999998099)
  const t = shifted + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum)
}

/** Continued fraction of the incomplete beta function by Lentz's method (Numerical Recipes, section 6.4). */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const guarded = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / guarded(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / guarded(1 + even * d)
    c = guarded(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / guarded(1 + odd * d)
    c = guarded(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-16) break
  }
  return fraction
}

/** Regularised incomplete beta function I_x(a, b) for a, b > 0; the distribution function of Beta(a, b). */
export function betaInc(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  // The fraction converges quickly on one side of the mean only; the other side is its mirror.
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b
}

/** The x with I_x(a, b) = probability. */
export function betaQuantile(probability: number, a: number, b: number): number {
  return bisect(x => betaInc(x, a, b) - probability, 0, 1)
}

/** Distribution function of the normal distribution, by its power series (Marsaglia 2004); for |z| below about 8. */
export function normalCdf(z: number): number {
  let [sum, term] = [0, z]
  for (let odd = 3; sum + term !== sum; odd += 2) {
    sum += term
    term *= (z * z) / odd
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)
}

/** The z below which a share `p` of the normal distribution lies. */
export const normalQuantile = (p: number): number => bisect(z => normalCdf(z) - p, -8, 8)

/** The t below which a share `p` ≥ 0.5 of Student's distribution with `df` degrees of freedom lies. */
export function tQuantile(p: number, df: number): number {
  const x = betaQuantile(2 * (1 - p), df / 2, 0.5)
  return Math.sqrt((df * (1 - x)) / x)
}
