/** Selectors of binding rules: expressions over the fields that an auth method provides. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import {
  type CheckedExpression,
  checkExpression,
  explainMatch,
  listShape,
  type MatchExplanation,
  mapShape,
  matches,
  parseExpression,
  recordShape,
  type Shape,
  textShape,
} from '../../expression/index.ts'
import type { LoginIdentity, Selectable } from '../../methods/identity.ts'

/** A selector may name any mapped claim, even claims that the token of a caller does not contain. */
const CLAIMS_SHAPE: Shape = /* @__PURE__ */ recordShape({ value: mapShape(textShape), list: mapShape(listShape(textShape)) })

/** The shape of the fields that the rules of an auth method may name in their Selectors. */
export const selectorShape = (selectable: Selectable): Shape =>
  'fixed' in selectable ? shapeOfPaths(selectable.fixed) : CLAIMS_SHAPE

function shapeOfPaths(paths: readonly string[]): Shape {
  const members = new Map<string, string[]>()
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.')
    members.set(first, [...(members.get(first) ?? []), ...(rest.length > 0 ? [rest.join('.')] : [])])
  }
  return recordShape(
    Object.fromEntries([...members].map(([name, below]) => [name, below.length > 0 ? shapeOfPaths(below) : textShape])),
  )
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

interface WithSelector {
  readonly Selector: string
}

/**
 * Maps a rule to its parsed Selector, or to the error of parsing it. The shape need not be part of the map key: it depends only on the type
 * of the rule's auth method, which never changes.
 */
const parsedSelectors = new WeakMap<WithSelector, CheckedExpression | KernelError>()

/** Whether the Selector matches the identity. A Selector that cannot be evaluated does not match. */
export const selects = (rule: WithSelector, shape: Shape, { selectable }: LoginIdentity): boolean =>
  rule.Selector === '' ||
  orOnRefusal(
    () => matches(parsedSelectorOf(rule, shape), selectable),
    () => false,
  )

/** Like {@link selects}, but also returns the reason for the result. */
export function explainSelector(rule: WithSelector, shape: Shape, { selectable }: LoginIdentity): MatchExplanation {
  if (rule.Selector === '') return { matches: true, reason: 'the rule has no Selector' }
  return orOnRefusal(
    () => explainMatch(parsedSelectorOf(rule, shape), selectable),
    ({ message }) => ({ matches: false, reason: message }),
  )
}

/**
 * Parses the Selector and keeps the result. Returns false if there was nothing to parse. If it returns true, the caller should yield before
 * it evaluates the Selector, because parsing and evaluating can each take long.
 */
export function prepareSelector(rule: WithSelector, shape: Shape): boolean {
  if (rule.Selector === '' || parsedSelectors.has(rule)) return false
  parsedSelectors.set(rule, parseSelector(rule, shape))
  return true
}

/** @throws KernelError 400 */
function parsedSelectorOf(rule: WithSelector, shape: Shape): CheckedExpression {
  prepareSelector(rule, shape)
  const known = parsedSelectors.get(rule)
  if (known instanceof KernelError) throw known
  return known as CheckedExpression
}

const parseSelector = ({ Selector }: WithSelector, shape: Shape): CheckedExpression | KernelError =>
  orOnRefusal<CheckedExpression | KernelError>(
    () => checkExpression(parseExpression(Selector), shape),
    (refusal) => refusal,
  )

function orOnRefusal<T>(evaluate: () => T, refused: (refusal: KernelError) => T): T {
  try {
    return evaluate()
  } catch (thrown) {
    if (thrown instanceof KernelError) return refused(thrown)
    throw thrown
  }
}
