/**
 * The first half of a login: verifies the caller and applies the binding rules of the auth method. It writes nothing, so other writers need
 * not wait during a token review or signature check.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { refuseLogin } from '../../../core/contract/login-refusal.ts'
import type { ConfigTx } from '../../call.ts'
import type { LoginWork } from '../../methods/identity.ts'
import { CONFIG_SETTINGS } from '../../settings.ts'
import { typedConfigOf } from '../auth-methods/content.ts'
import { findMethod } from '../auth-methods/find-method.ts'
import { applyRules } from '../binding-rules/binder.ts'
import type { RuleBinding } from '../binding-rules/binding.ts'
import { rulesOf } from '../binding-rules/method-rules.ts'
import { selectorShape } from '../binding-rules/selector.ts'
import type { AuthMethodRecord } from '../records.ts'

export interface VerifiedLogin {
  /** The record of the auth method when the caller was verified. Its `RulesIndex` shows whether the binding rules have changed since. */
  readonly method: AuthMethodRecord
  readonly bindings: readonly RuleBinding[]
}

/** @throws KernelError 403 for any reason, or 429 after too many failed attempts */
export function verifyAclLogin(tx: ConfigTx, namespace: string, authMethod: string, bearer: string): VerifiedLogin {
  const method = findMethod(tx, namespace, authMethod)
  if (!method) throw refuseLogin('method-unknown')
  const { type, config } = typedConfigOf(method)
  const identity = type.identityOf(config, bearer, loginWorkIn(tx, method))
  const rules = rulesOf(tx, method)
  const bindings = tx.steps(
    'bindings',
    () => hidingRule(applyRules(rules, selectorShape(type.selectable(config)), identity)),
    'attempt',
  )
  if (bindings.length === 0) throw refuseLogin('nothing-bound')
  return { method, bindings }
}

/**
 * The result of a token review or signature check stays valid while the method is unchanged. If only the method's rules change, the review
 * or check is not repeated.
 */
const loginWorkIn = (tx: ConfigTx, { uuid, ModifyIndex }: AuthMethodRecord): LoginWork => ({
  now: tx.now,
  crypto: tx.env.crypto,
  reviewer: tx.env.ports.tokenReviewer,
  keySets: CONFIG_SETTINGS.of(tx).keySets,
  signal: tx.env.closing,
  allowance: CONFIG_SETTINGS.of(tx).unauthenticatedAllowance,
  steps: (name, make) => tx.steps(`${name} ${uuid} ${ModifyIndex}`, make),
  once: (name, make) => tx.once(`${name} ${uuid} ${ModifyIndex}`, make),
})

/** The caller must not learn which rule computes an invalid name. */
function* hidingRule<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } catch (thrown) {
    throw thrown instanceof KernelError ? refuseLogin('name-not-valid') : thrown
  }
}
