import { notFound } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import type { ScopeParameters } from '../../scope.ts'
import { objectOperations } from '../object-operations.ts'
import { AUTH_METHOD, type AuthMethodRecord, byName } from '../records.ts'
import { newObjectIdentity, stampIndexes } from '../stamp.ts'
import { scheduleClearMethod } from './clear-method.ts'
import { type AuthMethodInput, readMethodContent, typedConfigOf, validateMethodName } from './content.ts'
import { listedMethod, METHOD_BODY, METHOD_ECHOED_MEMBERS, METHOD_SHOWN, METHODS_LISTED } from './fields.ts'
import { findMethod } from './find-method.ts'

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

export const authMethodOperations = objectOperations({
  thing: 'AuthMethod',
  noun: 'auth method',
  path: '/acl/auth-method',
  listPath: '/acl/auth-methods',
  table: 'auth-methods',
  records: AUTH_METHOD,
  key: { Name: f.text('The name of the auth method, regardless of case.') },
  createBody: METHOD_BODY,
  updateBody: METHOD_BODY,
  repeats: METHOD_ECHOED_MEMBERS,
  copies: ['Config'],
  listParameters: {},
  shown: METHOD_SHOWN,
  listed: METHODS_LISTED,
  summaries: {
    /**
     * @throws KernelError 400 if `Name`, `Type`, `MaxTokenTTL` or `TokenLocality` is invalid, or if `Config` lacks a required member or has
     *   an unknown member.
     * @example
     * await kernel.configsvc.authMethods.create({
     *   Name: 'ci',
     *   Type: 'jwt',
     *   MaxTokenTTL: '15m',
     *   Config: {
     *     JWTValidationPubKeys: [publicKey],
     *     JWTSupportedAlgs: ['ES256'],
     *     ClaimMappings: { repository: 'repository', branch: 'branch' },
     *   },
     * })
     */
    create: 'Creates an auth method, or replaces the one with that name, as in Consul.',
    /** @throws KernelError 404 if the auth method does not exist. */
    read: 'Reads an auth method.',
    /**
     * @throws KernelError 400 if the auth method does not exist, if the update would change the `Type` of the auth method, if `Name`,
     *   `Type`, `MaxTokenTTL` or `TokenLocality` is invalid, or if `Config` lacks a required member or has an unknown member.
     */
    update: 'Replaces the settings of an auth method. Its binding rules and tokens remain.',
    /** @throws no errors of its own. */
    delete:
      'Deletes an auth method with its binding rules and the tokens created by its logins. All of them become invalid at once.',
    /** @throws no errors of its own. */
    list: 'Lists auth methods without their configuration.',
  },
  find: findMethod,
  create(tx, namespace, input) {
    validateMethodName(input.Name)
    return putMethod(tx, namespace, input, findMethod(tx, namespace, input.Name))
  },
  update(tx, namespace, input) {
    validateMethodName(input.Name)
    const known = findMethod(tx, namespace, input.Name)
    if (!known) throw notFound(`Invalid Auth Method: cannot find auth method ${JSON.stringify(input.Name)}`, 400)
    return putMethod(tx, namespace, input, known)
  },
  delete(tx, namespace, name) {
    const known = findMethod(tx, namespace, name)
    if (!known) return false
    nextIndex(tx, 'auth-methods', 'binding-rules', 'tokens')
    tx.delete(AUTH_METHOD, byName(namespace, known.Name))
    scheduleClearMethod(tx, known.uuid)
    return true
  },
  show: shownMethod,
  showListed: listedMethod,
  sortKey: ({ Name }) => Name.toLowerCase(),
})
