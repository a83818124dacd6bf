/**
 * `acl/binding-rule`: what logins of an auth method get.
 */
import { invalid } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { configOperation } from '../../operation.ts'
import { namespaceOf, type Placed, partitionOf } from '../../scope.ts'
import { askerOf } from '../asker.ts'
import { linkedMethod, methodUuids } from '../auth-methods/find-method.ts'
import { listRecords } from '../list-records.ts'
import {
  BINDING_RULE,
  type BindingRuleRecord,
  byId,
  byName,
  type Kept,
  METHOD,
  type MethodLink,
  RULE_OF_METHOD,
} from '../records.ts'
import { checkNoId, isUuid, newId } from '../uuid.ts'
import { judgeRule, type RuleContent } from './content.ts'
import { EVALUATION, evaluateRules } from './evaluate.ts'
import { RULE_BODY, RULE_REPEATED, RULE_SHOWN, RULES_SHOWN, shownRule } from './fields.ts'

const THING = 'BindingRule'

const ABSENT = 'Requested binding rule does not exist: ACL not found'

const ID = f.text('The UUID of the binding rule.')

const scopeOf = (tx: ConfigTx, input: Placed, all = false): string => namespaceOf(tx, askerOf(tx), input, all)

/** A rule whose method is still there. */
function find(tx: ConfigTx, namespace: string, id: string): BindingRuleRecord | undefined {
  const rule = isUuid(id) ? tx.get(BINDING_RULE, byId(namespace, id)) : undefined
  return rule && linkedMethod(tx, namespace, rule.AuthMethod) && rule
}

/** What stays the same from the first write to the last. */
type Identity = Omit<Kept, 'CreateIndex' | 'ModifyIndex'> & { readonly ID: string; readonly CreateIndex?: number }

/** The index of a commit that changes a rule. A login that has seen the rules of before looks at them again. */
function ruleIndex(tx: ConfigTx, namespace: string, link: MethodLink): number {
  const index = nextIndex(tx, 'binding-rules')
  const method = linkedMethod(tx, namespace, link)
  if (method) tx.put(METHOD, byName(namespace, method.Name), { ...method, RulesIndex: index })
  return index
}

function keep(tx: ConfigTx, { ID, Namespace, Partition, CreateIndex }: Identity, content: RuleContent): BindingRuleRecord {
  const index = ruleIndex(tx, Namespace, content.AuthMethod)
  const rule: BindingRuleRecord = {
    ID,
    ...content,
    Namespace,
    ...(Partition === undefined ? {} : { Partition }),
    CreateIndex: CreateIndex ?? index,
    ModifyIndex: index,
  }
  tx.put(BINDING_RULE, byId(Namespace, ID), rule)
  return rule
}

const ofMethod = ({ AuthMethod, ID }: BindingRuleRecord): string => `${AuthMethod.uuid}/${ID}`

export const bindingRuleOperations = {
  create: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/binding-rule',
    summary: 'Makes a binding rule.',
    thing: THING,
    permission: 'acl:write',
    fields: {},
    body: { ...RULE_BODY, ID: f.strictText('Not to be given: the service chooses it.').default('') },
    repeats: RULE_REPEATED,
    answers: RULE_SHOWN,
    check: (input) => checkNoId(input, THING),
    run(tx, input) {
      const Namespace = scopeOf(tx, input)
      const content = judgeRule(tx, Namespace, input)
      const Partition = partitionOf(tx, input)
      const rule = keep(tx, { ID: newId(tx), Namespace, ...(Partition === undefined ? {} : { Partition }) }, content)
      tx.put(RULE_OF_METHOD, ofMethod(rule), byId(Namespace, rule.ID))
      return shownRule(rule)
    },
  }),

  read: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/binding-rule/:ID',
    summary: 'Reads a binding rule.',
    thing: THING,
    permission: 'acl:read',
    table: 'binding-rules',
    absent: ABSENT,
    fields: { ID },
    answers: RULE_SHOWN,
    run(tx, input) {
      const rule = find(tx, scopeOf(tx, input), input.ID)
      return rule && shownRule(rule)
    },
  }),

  update: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/binding-rule/:ID',
    summary: 'Changes what was sent of a binding rule. An empty Selector or Description is one, too.',
    thing: THING,
    permission: 'acl:write',
    fields: { ID },
    body: { ...RULE_BODY, ID: f.strictText('The same as in the path.').default('') },
    repeats: RULE_REPEATED,
    answers: RULE_SHOWN,
    run(tx, input) {
      const Namespace = scopeOf(tx, input)
      if (!isUuid(input.ID)) throw invalid('Binding Rule ID invalid UUID')
      const known = find(tx, Namespace, input.ID)
      if (!known) throw invalid(`Invalid Binding Rule: cannot find binding rule ${input.ID}`)
      return shownRule(keep(tx, known, judgeRule(tx, Namespace, input, known)))
    },
  }),

  delete: configOperation({
    kind: 'write',
    verb: 'DELETE',
    path: '/acl/binding-rule/:ID',
    summary: 'Deletes a binding rule. The tokens that it gave something to stay as they are.',
    thing: THING,
    permission: 'acl:write',
    fields: { ID },
    answers: f.bool('Whether there was such a binding rule.'),
    run(tx, input) {
      const namespace = scopeOf(tx, input)
      const known = find(tx, namespace, input.ID)
      if (!known) return false
      ruleIndex(tx, namespace, known.AuthMethod)
      tx.delete(BINDING_RULE, byId(namespace, known.ID))
      tx.delete(RULE_OF_METHOD, ofMethod(known))
      return true
    },
  }),

  list: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/binding-rules',
    summary: 'Lists binding rules.',
    thing: THING,
    permission: 'acl:read',
    table: 'binding-rules',
    fields: { authmethod: f.text('Only rules of the auth method of this name, in any case.').optional() },
    answers: RULES_SHOWN,
    run(tx, input) {
      const namespace = scopeOf(tx, input, true)
      const there = methodUuids(tx, namespace)
      const name = input.authmethod?.toLowerCase()
      return listRecords(tx, {
        kind: BINDING_RULE,
        namespace,
        wanted: ({ AuthMethod }) => there.has(AuthMethod.uuid) && (!name || AuthMethod.Name.toLowerCase() === name),
        orderOf: ({ ID }) => ID,
        show: shownRule,
      })
    },
  }),

  evaluate: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/acl/binding-rules/evaluate',
    unrouted: true,
    summary: 'Tells what a login with an identity would get, and why each rule of the auth method matches or does not.',
    thing: THING,
    permission: 'acl:read',
    absent: 'Requested auth method does not exist: ACL not found',
    fields: {
      auth_method: f.text('The name of the auth method, in any case.'),
      identity: f.object('What the method would know of the caller: `{ value, list }` or `{ serviceaccount }`.'),
    },
    answers: EVALUATION,
    run: (tx, input) => evaluateRules(tx, scopeOf(tx, input), input.auth_method, input.identity),
  }),
}
