/**
 * Computes which roles, policies and identities a caller gets from the binding rules of an auth method, like Consul's binder. Has no side
 * effects. Long computations let other work run in between.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { Pace, PIECE_MICROSECONDS, type Steps } from '../../../core/base/steps.ts'
import type { Shape } from '../../expression/index.ts'
import type { LoginIdentity } from '../../methods/identity.ts'
import { type Bindable, computeBinding, type RuleBinding } from './binding.ts'
import { explainSelector, prepareSelector, selects } from './selector.ts'

export interface BinderRule extends Bindable {
  readonly Selector: string
}

/** @throws KernelError 400 if a matching rule computes an invalid name. The login then fails. */
export function* applyRules(rules: readonly BinderRule[], shape: Shape, identity: LoginIdentity): Steps<readonly RuleBinding[]> {
  const pace = new Pace()
  const bindings: RuleBinding[] = []
  const items = listItemCount(identity)
  for (const rule of rules) {
    if (prepareSelector(rule, shape) && pace.spend(costOf(rule, 0))) yield
    if (selects(rule, shape, identity)) bindings.push(computeBinding(rule, identity.variables))
    if (pace.spend(costOf(rule, items))) yield
  }
  return bindings
}

/** The outcome of one rule for one identity. */
export interface RuleEvaluation {
  readonly matches: boolean
  /** The comparisons that decided whether the rule matches. */
  readonly reason: string
  readonly binding?: RuleBinding
  /** Why the login fails at this rule. */
  readonly refusal?: string
}

/** Like {@link applyRules}, but for diagnostics: returns the outcome of every rule, with the reasons. */
export function* explainRules(
  rules: readonly BinderRule[],
  shape: Shape,
  identity: LoginIdentity,
): Steps<readonly RuleEvaluation[]> {
  const pace = new Pace()
  const verdicts: RuleEvaluation[] = []
  const items = listItemCount(identity)
  for (const rule of rules) {
    if (prepareSelector(rule, shape) && pace.spend(costOf(rule, 0))) yield
    const { matches, reason } = explainSelector(rule, shape, identity)
    verdicts.push({ matches, reason, ...(matches ? bindingOrRefusal(rule, identity) : {}) })
    if (pace.spend(2 * costOf(rule, items))) yield
  }
  return verdicts
}

function bindingOrRefusal(rule: BinderRule, { variables }: LoginIdentity): Pick<RuleEvaluation, 'binding' | 'refusal'> {
  try {
    return { binding: computeBinding(rule, variables) }
  } catch (thrown) {
    if (thrown instanceof KernelError) return { refusal: thrown.message }
    throw thrown
  }
}

/** The number of strings in lists that a selector may search. */
function listItemCount({ selectable }: LoginIdentity): number {
  if (!('list' in selectable)) return 0
  return Object.values(selectable.list).reduce((sum, list) => sum + list.length, 0)
}

const MATCHES = /\bmatches\b/

const RULE_MICROSECONDS = 20

/**
 * The estimated cost in microseconds: strings are parsed in proportion to their length, and each comparison may search all lists. A rule
 * with a regular expression counts as a whole slice, so that other work can run before the next rule.
 */
function costOf({ Selector, BindName, BindVars }: BinderRule, items: number): number {
  if (MATCHES.test(Selector)) return PIECE_MICROSECONDS
  return RULE_MICROSECONDS + BindName.length + (BindVars?.name?.length ?? 0) + Selector.length * (1 + items / 100)
}
