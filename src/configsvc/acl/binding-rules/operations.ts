import { invalid, notFound } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { configOperation } from '../../operation.ts'
import { linkedMethod } from '../auth-methods/find-method.ts'
import { objectOperations } from '../object-operations.ts'
import {
  AUTH_METHOD,
  type AuthMethodLink,
  BINDING_RULE,
  type BindingRuleRecord,
  byId,
  byName,
  RULE_OF_METHOD,
} from '../records.ts'
import { type AclObjectIdentity, newObjectIdentity, requestedNamespace, stampIndexes } from '../stamp.ts'
import { isUuid, NEW_ID, SAME_ID } from '../uuid.ts'
import { type BindingRuleContent, readRuleContent } from './content.ts'
import { EVALUATION, evaluateRules } from './evaluate.ts'
import { RULE_BODY, RULE_ECHOED_MEMBERS, RULE_SHOWN, RULES_SHOWN, shownRule } from './fields.ts'

const THING = 'BindingRule'

/** Undefined if the rule does not exist, or if its auth method was deleted. */
function findRule(tx: ConfigTx, namespace: string, id: string): BindingRuleRecord | undefined {
  const rule = isUuid(id) ? tx.get(BINDING_RULE, byId(namespace, id)) : undefined
  return rule && linkedMethod(tx, namespace, rule.AuthMethod) && rule
}

/** Changes the record of the method, so that logins in progress notice the new rules and start over. */
function touchMethod(tx: ConfigTx, namespace: string, link: AuthMethodLink, RulesIndex: number): void {
  const method = linkedMethod(tx, namespace, link)
  if (method) tx.put(AUTH_METHOD, byName(namespace, method.Name), { ...method, RulesIndex })
}

function putRule(tx: ConfigTx, lasting: AclObjectIdentity, content: BindingRuleContent): BindingRuleRecord {
  const rule: BindingRuleRecord = { ...content, ...stampIndexes(tx, 'binding-rules', lasting) }
  tx.put(BINDING_RULE, byId(rule.Namespace, rule.ID), rule)
  touchMethod(tx, rule.Namespace, rule.AuthMethod, rule.ModifyIndex)
  return rule
}

const methodEntryId = ({ AuthMethod, ID }: BindingRuleRecord): string => `${AuthMethod.uuid}/${ID}`

export const bindingRuleOperations = {
  ...objectOperations({
    thing: THING,
    noun: 'binding rule',
    path: '/acl/binding-rule',
    listPath: '/acl/binding-rules',
    table: 'binding-rules',
    records: BINDING_RULE,
    key: { ID: f.text('The UUID of the binding rule.') },
    createBody: { ...RULE_BODY, ID: NEW_ID },
    updateBody: { ...RULE_BODY, ID: SAME_ID },
    repeats: RULE_ECHOED_MEMBERS,
    listParameters: { authmethod: f.text('The name of an auth method, regardless of case: lists only its rules.').optional() },
    shown: RULE_SHOWN,
    listed: RULES_SHOWN,
    summaries: {
      /**
       * @throws KernelError 400 if the auth method does not exist, if `BindType` is unknown, if `BindName` or `BindVars` results in an
       *   invalid name, or if `Selector` cannot be parsed or uses unknown variables.
       * @example
       * const { ID } = await kernel.configsvc.bindingRules.create({
       *   AuthMethod: 'ci',
       *   Selector: 'value.branch == main',
       *   BindType: 'service',
       *   BindName: '${value.repository}',
       * })
       */
      create: 'Creates a binding rule.',
      /** @throws KernelError 404 if the binding rule does not exist. */
      read: 'Reads a binding rule.',
      /**
       * @throws KernelError 400 if the binding rule does not exist, if the update would change the `AuthMethod` of the rule, if the auth
       *   method does not exist, if `BindType` is unknown, if `BindName` or `BindVars` results in an invalid name, or if `Selector` cannot
       *   be parsed or uses unknown variables.
       */
      update:
        'Updates a binding rule. Members that the request omits keep their values. An empty Selector or Description replaces the stored one.',
      /** @throws no errors of its own. */
      delete: 'Deletes a binding rule. Tokens created by earlier logins keep what the rule granted.',
      /** @throws no errors of its own. */
      list: 'Lists binding rules.',
    },
    find: findRule,
    create(tx, namespace, input) {
      const content = readRuleContent(tx, namespace, input)
      const rule = putRule(tx, newObjectIdentity(tx, namespace, input), content)
      tx.put(RULE_OF_METHOD, methodEntryId(rule), byId(namespace, rule.ID))
      return rule
    },
    update(tx, namespace, input) {
      if (!isUuid(input.ID)) throw invalid('Binding Rule ID invalid UUID')
      const known = findRule(tx, namespace, input.ID)
      if (!known) throw notFound(`Invalid Binding Rule: cannot find binding rule ${input.ID}`, 400)
      return putRule(tx, known, readRuleContent(tx, namespace, input, known))
    },
    delete(tx, namespace, id) {
      const known = findRule(tx, namespace, id)
      if (!known) return false
      touchMethod(tx, namespace, known.AuthMethod, nextIndex(tx, 'binding-rules'))
      tx.delete(BINDING_RULE, byId(namespace, known.ID))
      tx.delete(RULE_OF_METHOD, methodEntryId(known))
      return true
    },
    show: shownRule,
    showListed: shownRule,
    sortKey: ({ ID }) => ID,
    filter(tx, { authmethod }) {
      const name = authmethod?.toLowerCase()
      return ({ AuthMethod, Namespace }) =>
        (!name || AuthMethod.Name.toLowerCase() === name) && linkedMethod(tx, Namespace, AuthMethod) !== undefined
    },
  }),

  /**
   * @throws KernelError 400 if `identity` is not an identity that a login of the auth method can have.
   * @throws KernelError 404 if the auth method does not exist.
   * @example
   * const { Allowed, Rules } = await kernel.configsvc.bindingRules.evaluate({
   *   auth_method: 'ci',
   *   identity: { value: { repository: 'shop', branch: 'main' } },
   * })
   */
  evaluate: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/acl/binding-rules/evaluate',
    unrouted: true,
    summary:
      'Shows which grants a login with the given identity would get, and why each rule of the auth method matches or does not match.',
    thing: THING,
    permission: 'acl:read',
    notFoundMessage: 'Requested auth method does not exist: ACL not found',
    lists: true,
    copies: ['identity'],
    fields: {
      auth_method: f.text('The name of the auth method, regardless of case.'),
      identity: f.object(
        'The fields that a login would provide: `{ value, list }` for jwt, `{ serviceaccount }` for kubernetes.',
      ),
    },
    answers: EVALUATION,
    run: (tx, input) => evaluateRules(tx, requestedNamespace(tx, input), input.auth_method, input.identity),
  }),
}
