import { invalid, KernelError, notFound } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { configOperation } from '../../operation.ts'
import { resolveNamespace, resolvePartition } from '../../scope.ts'
import { aclCallerOf } from '../acl-caller.ts'
import { aclContentHashIn, tokenTexts } from '../hash.ts'
import { SCOPE_FIELDS } from '../record-fields.ts'
import { ACL_TOKEN, type AclTokenRecord, ANONYMOUS_ACCESSOR } from '../records.ts'
import { requestedNamespace } from '../stamp.ts'
import { isUuid, SAME_ID } from '../uuid.ts'
import { findToken } from '../valid-token.ts'
import { createAclToken, deleteAclToken, type NewAclToken } from './create-token.ts'
import { shownToken, TOKEN_BODY, TOKEN_ECHOED_MEMBERS, TOKEN_SHOWN, TOKENS_SHOWN } from './fields.ts'
import { chosenId, findByAccessor } from './find-token.ts'
import { newExpiration } from './lifetime.ts'
import { listTokens } from './list-tokens.ts'
import { readTokenGrants, validateUnchanged } from './token-input.ts'

const THING = 'Token'

const ABSENT = 'Requested token does not exist: ACL not found'

const ACCESSOR_ID = f.text('The AccessorID of the token.')

function createShownToken(tx: ConfigTx, newToken: NewAclToken) {
  const { record, SecretID } = createAclToken(tx, newToken)
  return shownToken(tx, record, SecretID)
}

export const aclTokenOperations = {
  /**
   * @throws KernelError 400 if a linked object does not exist, if a service identity, a node identity or a templated policy is incomplete
   *   or has an invalid name, if the token would have expired already, if the token would expire in less than a minute or in more than a
   *   day, or if `AccessorID` or `SecretID` is not a UUID, is reserved, or is in use.
   * @example
   * const { SecretID } = await kernel.configsvc.tokens.create({
   *   Description: 'pipeline',
   *   Policies: [{ Name: 'web' }],
   *   ExpirationTTL: '8h',
   * })
   * const view = kernel.configsvc.as(SecretID)
   */
  create: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/token',
    summary: 'Creates a token. Only this response shows its secret.',
    thing: THING,
    permission: 'acl:write',
    fields: {},
    body: { ...TOKEN_BODY, AccessorID: f.strictText('Identifies the token; a UUID. Default: random.').default('') },
    repeats: TOKEN_ECHOED_MEMBERS,
    answers: TOKEN_SHOWN,
    run(tx, input) {
      const Namespace = requestedNamespace(tx, input)
      const AccessorID = chosenId(tx, 'AccessorID', input.AccessorID)
      const SecretID = chosenId(tx, 'SecretID', input.SecretID)
      if (AccessorID !== undefined && AccessorID === SecretID)
        throw invalid('Invalid Token: AccessorID and SecretID cannot be the same')
      if (input.AuthMethod !== '') throw invalid('Invalid Token: AuthMethod: only a login creates a token with an auth method')
      const { Description, Local = false } = input
      const ExpirationTime = newExpiration(input, tx.now)
      const grants = readTokenGrants(tx, Namespace, input, Local)
      const Partition = resolvePartition(tx, input)
      return createShownToken(tx, { ...grants, Namespace, Partition, Description, Local, ExpirationTime, AccessorID, SecretID })
    },
  }),

  /** @throws KernelError 403 if the caller has no token. The application itself has no token. */
  readSelf: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/token/self',
    summary: 'Reads the token with which the request is sent.',
    thing: THING,
    table: 'tokens',
    exclusive: true,
    fields: {},
    answers: TOKEN_SHOWN,
    run(tx) {
      const { caller } = tx.call
      const secret = caller.kind === 'token' ? caller.secret : ''
      const token = secret === '' ? undefined : findToken(tx, secret)
      if (!token) throw new KernelError('ERR_PERMISSION_DENIED', 'ACL not found')
      return shownToken(tx, token, secret)
    },
  }),

  /** @throws KernelError 404 if the token does not exist. */
  read: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/token/:AccessorID',
    summary: 'Reads a token without its secret.',
    thing: THING,
    permission: 'acl:read',
    table: 'tokens',
    notFoundMessage: ABSENT,
    fields: { AccessorID: ACCESSOR_ID },
    answers: TOKEN_SHOWN,
    run(tx, input) {
      const found = findByAccessor(tx, requestedNamespace(tx, input), input.AccessorID)
      return found && shownToken(tx, found.record)
    },
  }),

  /**
   * @throws KernelError 400 if the token does not exist, if a linked object does not exist, if a service identity, a node identity or a
   *   templated policy is incomplete or has an invalid name, or if the update would change `SecretID`, `Local`, `AuthMethod` or the
   *   expiration of the token.
   */
  update: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/token/:AccessorID',
    summary: 'Replaces the description and the grants of a token. Nothing else changes.',
    thing: THING,
    permission: 'acl:write',
    fields: { AccessorID: ACCESSOR_ID },
    body: { ...TOKEN_BODY, AccessorID: SAME_ID },
    repeats: TOKEN_ECHOED_MEMBERS,
    answers: TOKEN_SHOWN,
    run(tx, input) {
      const Namespace = requestedNamespace(tx, input)
      if (!isUuid(input.AccessorID)) throw invalid('Token AccessorID invalid UUID')
      const found = findByAccessor(tx, Namespace, input.AccessorID)
      if (!found) throw notFound(`Invalid Token: cannot find token ${input.AccessorID}`, 400)
      const { id, record } = found
      validateUnchanged(tx, found, input)
      const content = {
        Description: input.Description,
        ...readTokenGrants(tx, Namespace, input, record.Local),
      }
      const token: AclTokenRecord = {
        ...record,
        ...content,
        Hash: aclContentHashIn(tx, tokenTexts({ ...record, ...content })),
        ModifyIndex: nextIndex(tx, 'tokens'),
      }
      tx.put(ACL_TOKEN, id, token)
      return shownToken(tx, token)
    },
  }),

  /**
   * @throws KernelError 400 if a login created the token.
   * @throws KernelError 404 if the token does not exist.
   */
  clone: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/token/:AccessorID/clone',
    summary: 'Creates a token with the grants and the expiration of another token. Only this response shows its secret.',
    thing: THING,
    permission: 'acl:write',
    notFoundMessage: ABSENT,
    fields: { AccessorID: ACCESSOR_ID },
    body: { Description: f.strictText('Default: the description of the cloned token.').default(''), ...SCOPE_FIELDS },
    answers: TOKEN_SHOWN,
    run(tx, input) {
      const found = findByAccessor(tx, requestedNamespace(tx, input), input.AccessorID)
      if (!found) return undefined
      const { AccessorID: _, AuthMethod, ...record } = found.record
      if (AuthMethod) throw invalid('Invalid Token: a token that a login created cannot be cloned')
      const Partition = resolvePartition(tx, input) ?? record.Partition
      return createShownToken(tx, { ...record, Partition, Description: input.Description || record.Description })
    },
  }),

  /** @throws KernelError 400 if the token is the anonymous token, or if the token is the token of the caller. */
  delete: configOperation({
    kind: 'write',
    verb: 'DELETE',
    path: '/acl/token/:AccessorID',
    summary: 'Deletes a token. Requests with its secret are refused as soon as the deletion is committed.',
    thing: THING,
    permission: 'acl:write',
    fields: { AccessorID: ACCESSOR_ID },
    answers: f.bool('Whether the token existed.'),
    run(tx, input) {
      const aclCaller = aclCallerOf(tx)
      const namespace = resolveNamespace(tx, aclCaller, input)
      if (input.AccessorID === ANONYMOUS_ACCESSOR) throw invalid('Invalid Token: the anonymous token cannot be deleted')
      if (input.AccessorID === aclCaller.token?.AccessorID) throw invalid('Invalid Token: a token cannot delete itself')
      const found = findByAccessor(tx, namespace, input.AccessorID)
      if (!found) return false
      nextIndex(tx, 'tokens')
      deleteAclToken(tx, found.id, found.record)
      return true
    },
  }),

  /** @throws no errors of its own. */
  list: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/tokens',
    summary: 'Lists tokens without their secrets.',
    thing: THING,
    permission: 'acl:read',
    table: 'tokens',
    lists: true,
    fields: {
      policy: f.text('The ID of a policy: lists only tokens that link to it directly.').optional(),
      role: f.text('The ID of a role: lists only tokens that link to it.').optional(),
      authmethod: f.text('The name of an auth method: lists only tokens that its logins created.').optional(),
      servicename: f
        .text(
          'The name of a service: lists only tokens with a service identity for it, or with the templated policy `builtin/service` for it.',
        )
        .optional(),
    },
    answers: TOKENS_SHOWN,
    run: (tx, input) => listTokens(tx, requestedNamespace(tx, input, true), input),
  }),
}
