/** Whether two JSON values are equal. The order of the members of an object does not matter: Vault sorts them. */
import { entriesOf, memberOf } from '../core/json/wide-object.ts'

export function sameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((value, n) => sameValue(value, b[n]))
  let members = 0
  for (const [name, value] of entriesOf(a)) {
    members++
    const other = memberOf(b, name)
    if (other === undefined || !sameValue(value, other)) return false
  }
  for (const _ of entriesOf(b)) members--
  return members === 0
}
