import { notFound } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { configOperation } from '../../operation.ts'
import type { ScopeParameters } from '../../scope.ts'
import { listRecords } from '../list-records.ts'
import { AUTH_METHOD, type AuthMethodRecord, byName } from '../records.ts'
import { newObjectIdentity, requestedNamespace, stampIndexes } from '../stamp.ts'
import { scheduleClearMethod } from './clear-method.ts'
import { type AuthMethodInput, readMethodContent, typedConfigOf, validateMethodName } from './content.ts'
import { listedMethod, METHOD_BODY, METHOD_ECHOED_MEMBERS, METHOD_SHOWN, METHODS_LISTED } from './fields.ts'
import { findMethod } from './find-method.ts'

const THING = 'AuthMethod'

const ABSENT = 'Requested auth method does not exist: ACL not found'

const Name = f.text('The name of the auth method, regardless of case.')

function shownMethod(method: AuthMethodRecord) {
  const { type, config } = typedConfigOf(method)
  return { ...listedMethod(method), Config: type.showConfig(config) }
}

function putMethod(
  tx: ConfigTx,
  namespace: string,
  input: AuthMethodInput & ScopeParameters,
  known: AuthMethodRecord | undefined,
): AuthMethodRecord {
  const content = readMethodContent(tx, input, known)
  const lasting = known ? { ...known, ID: known.uuid } : newObjectIdentity(tx, namespace, input)
  const { ID: uuid, ...kept } = stampIndexes(tx, 'auth-methods', lasting)
  const method: AuthMethodRecord = {
    Name: known?.Name ?? input.Name,
    ...content,
    uuid,
    RulesIndex: known?.RulesIndex ?? 0,
    ...kept,
  }
  tx.put(AUTH_METHOD, byName(namespace, method.Name), method)
  return method
}

export const authMethodOperations = {
  create: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/auth-method',
    summary: 'Creates an auth method, or replaces the one with that name, as in Consul.',
    thing: THING,
    permission: 'acl:write',
    fields: {},
    body: METHOD_BODY,
    copies: ['Config'],
    repeats: METHOD_ECHOED_MEMBERS,
    answers: METHOD_SHOWN,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      validateMethodName(input.Name)
      return shownMethod(putMethod(tx, namespace, input, findMethod(tx, namespace, input.Name)))
    },
  }),

  read: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/auth-method/:Name',
    summary: 'Reads an auth method.',
    thing: THING,
    permission: 'acl:read',
    table: 'auth-methods',
    notFoundMessage: ABSENT,
    fields: { Name },
    answers: METHOD_SHOWN,
    run(tx, input) {
      const method = findMethod(tx, requestedNamespace(tx, input), input.Name)
      return method && shownMethod(method)
    },
  }),

  update: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/auth-method/:Name',
    summary: 'Replaces the settings of an auth method. Its binding rules and tokens remain.',
    thing: THING,
    permission: 'acl:write',
    fields: { Name },
    body: METHOD_BODY,
    copies: ['Config'],
    repeats: METHOD_ECHOED_MEMBERS,
    answers: METHOD_SHOWN,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      validateMethodName(input.Name)
      const known = findMethod(tx, namespace, input.Name)
      if (!known) throw notFound(`Invalid Auth Method: cannot find auth method ${JSON.stringify(input.Name)}`, 400)
      return shownMethod(putMethod(tx, namespace, input, known))
    },
  }),

  delete: configOperation({
    kind: 'write',
    verb: 'DELETE',
    path: '/acl/auth-method/:Name',
    summary:
      'Deletes an auth method with its binding rules and the tokens created by its logins. All of them become invalid at once.',
    thing: THING,
    permission: 'acl:write',
    fields: { Name },
    answers: f.bool('Whether the auth method existed.'),
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      const known = findMethod(tx, namespace, input.Name)
      if (!known) return false
      nextIndex(tx, 'auth-methods', 'binding-rules', 'tokens')
      tx.delete(AUTH_METHOD, byName(namespace, known.Name))
      scheduleClearMethod(tx, known.uuid)
      return true
    },
  }),

  list: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/auth-methods',
    summary: 'Lists auth methods without their configuration.',
    thing: THING,
    permission: 'acl:read',
    table: 'auth-methods',
    lists: true,
    fields: {},
    answers: METHODS_LISTED,
    run: (tx, input) =>
      listRecords(tx, {
        kind: AUTH_METHOD,
        namespace: requestedNamespace(tx, input, true),
        sortKey: ({ Name }) => Name.toLowerCase(),
        show: listedMethod,
      }),
  }),
}
