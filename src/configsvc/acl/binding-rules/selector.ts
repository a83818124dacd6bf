/**
 * Selectors of binding rules: expressions over what an auth method knows of a caller.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import {
  type Checked,
  checkExpression,
  type Explanation,
  explain,
  listOf,
  mapOf,
  matches,
  parseExpression,
  record,
  type Shape,
  text,
} from '../../expression/index.ts'
import type { Identity, Selectable } from '../../methods/identity.ts'

/** Any mapped name may be asked for, since callers' tokens need not have the claim. */
const CLAIMS: Shape = /* @__PURE__ */ record({ value: mapOf(text), list: mapOf(listOf(text)) })

/** What selectors of rules of a method may ask. */
export const shapeOf = (selectable: Selectable): Shape => ('fixed' in selectable ? shapeOfPaths(selectable.fixed) : CLAIMS)

function shapeOfPaths(paths: readonly string[]): Shape {
  const members = new Map<string, string[]>()
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.')
    members.set(first, [...(members.get(first) ?? []), ...(rest.length > 0 ? [rest.join('.')] : [])])
  }
  return record(Object.fromEntries([...members].map(([name, below]) => [name, below.length > 0 ? shapeOfPaths(below) : text])))
}

/** @throws KernelError 400 */
export function checkSelector(selector: string, shape: Shape): void {
  if (selector === '') return
  try {
    checkExpression(parseExpression(selector), shape)
  } catch (thrown) {
    throw thrown instanceof KernelError ? invalid(`Invalid Binding Rule: Selector is invalid: ${thrown.message}`) : thrown
  }
}

/** A rule as far as it says whom it matches. */
interface Selecting {
  readonly Selector: string
}

/** By the record of a rule, whose method has one type for ever. */
const checked = new WeakMap<Selecting, Checked | KernelError>()

/** A selector that cannot be evaluated does not match. */
export const selects = (rule: Selecting, shape: Shape, { selectable }: Identity): boolean =>
  rule.Selector === '' ||
  judged(
    () => matches(checkedOf(rule, shape), selectable),
    () => false,
  )

/** {@link selects}, and why. */
export function explainSelector(rule: Selecting, shape: Shape, { selectable }: Identity): Explanation {
  if (rule.Selector === '') return { matches: true, reason: 'the rule has no Selector' }
  return judged(
    () => explain(checkedOf(rule, shape), selectable),
    ({ message }) => ({ matches: false, reason: message }),
  )
}

/** Whether the selector had to be parsed now: that and its evaluation are two pieces of work. */
export function prepareSelector(rule: Selecting, shape: Shape): boolean {
  if (rule.Selector === '' || checked.has(rule)) return false
  checked.set(rule, check(rule, shape))
  return true
}

/** @throws KernelError 400 */
function checkedOf(rule: Selecting, shape: Shape): Checked {
  prepareSelector(rule, shape)
  const known = checked.get(rule)
  if (known instanceof KernelError) throw known
  return known as Checked
}

const check = ({ Selector }: Selecting, shape: Shape): Checked | KernelError =>
  judged<Checked | KernelError>(
    () => checkExpression(parseExpression(Selector), shape),
    (refusal) => refusal,
  )

function judged<T>(judge: () => T, refused: (refusal: KernelError) => T): T {
  try {
    return judge()
  } catch (thrown) {
    if (thrown instanceof KernelError) return refused(thrown)
    throw thrown
  }
}
