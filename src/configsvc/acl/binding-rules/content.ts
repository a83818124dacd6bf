/** Validates the content of a binding rule, in Consul's order. */
import { invalid, notFound } from '../../../core/base/errors.ts'
import type { ConfigTx } from '../../call.ts'
import { typedConfigOf } from '../auth-methods/content.ts'
import { findMethod } from '../auth-methods/find-method.ts'
import type { AuthMethodLink, BindingRuleRecord } from '../records.ts'
import { checkBinding } from './binding.ts'
import { checkSelector, selectorShape } from './selector.ts'

/** A binding rule as a request contains it. */
export interface BindingRuleInput {
  readonly Description?: string | undefined
  readonly AuthMethod?: string | undefined
  readonly Selector?: string | undefined
  readonly BindType?: string | undefined
  readonly BindName?: string | undefined
  readonly BindVars?: { readonly name?: string } | undefined
}

export type BindingRuleContent = Pick<
  BindingRuleRecord,
  'Description' | 'AuthMethod' | 'Selector' | 'BindType' | 'BindName' | 'BindVars'
>

/**
 * @param known The rule that is updated: it provides the values of members that the request omits. Absent for a new rule.
 * @throws KernelError 400
 */
export function readRuleContent(
  tx: ConfigTx,
  namespace: string,
  sent: BindingRuleInput,
  known?: BindingRuleRecord,
): BindingRuleContent {
  const { method, link } = methodOf(tx, namespace, sent, known)
  const { type, config } = typedConfigOf(method)
  const Selector = sent.Selector ?? known?.Selector ?? ''
  const BindType = sent.BindType ?? known?.BindType ?? ''
  const BindName = sent.BindName ?? known?.BindName ?? ''
  // If the request has no variables, the stored ones are kept, unless the BindType changes.
  const name = (sent.BindVars ?? (known?.BindType === BindType ? known.BindVars : undefined))?.name
  const BindVars = name ? { name } : undefined
  tx.steps('rule', function* () {
    checkSelector(Selector, selectorShape(type.selectable(config)))
    yield
    checkBinding({ BindType, BindName, BindVars }, type.variables(config))
  })
  return {
    Description: sent.Description ?? known?.Description ?? '',
    AuthMethod: link,
    Selector,
    BindType,
    BindName,
    ...(BindVars ? { BindVars } : {}),
  }
}

function methodOf(
  tx: ConfigTx,
  namespace: string,
  { AuthMethod: sent = '' }: BindingRuleInput,
  known: BindingRuleRecord | undefined,
) {
  const stored = known?.AuthMethod
  if (stored && sent !== '' && sent.toLowerCase() !== stored.Name.toLowerCase())
    throw invalid('Invalid Binding Rule: the AuthMethod is immutable')
  const name = stored?.Name ?? sent
  if (name === '') throw invalid('Invalid Binding Rule: no AuthMethod is set')
  const method = findMethod(tx, namespace, name)
  if (!method)
    throw notFound(
      `Invalid Binding Rule: AuthMethod: cannot find auth method with name ${JSON.stringify(name.slice(0, 128))}`,
      400,
    )
  const link: AuthMethodLink = stored ?? { Name: name, uuid: method.uuid }
  return { method, link }
}
