/**
 * One sentence: "if A.", "if A, or if B.", "if A, if B, or if C."
 * @param {readonly string[]} conditions each is understood without the others, and begins without `if`
 */
export function ifAny(...conditions) {
  const clauses = conditions.map((condition) => `if ${condition}`)
  const last = clauses.pop()
  return clauses.length === 0 ? `${last}.` : `${clauses.join(', ')}, or ${last}.`
}
