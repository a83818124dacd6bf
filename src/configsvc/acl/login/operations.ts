import { invalid, KernelError } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import { entriesOf } from '../../../core/json/wide-object.ts'
import { nextIndex } from '../../index/counter.ts'
import { configOperation } from '../../operation.ts'
import { resolveNamespace } from '../../scope.ts'
import type { AclCaller } from '../acl-caller.ts'
import { SCOPE_FIELDS } from '../record-fields.ts'
import { deleteAclToken } from '../tokens/create-token.ts'
import { shownToken, TOKEN_SHOWN } from '../tokens/fields.ts'
import { requireToken, tokenIdOf } from '../valid-token.ts'
import { createLoginToken } from './create-login-token.ts'
import { hidingReason } from './refusals.ts'
import { type VerifiedLogin, verifyAclLogin } from './verify-login.ts'

/** A token sent with a login request is ignored, even if it is invalid. */
const NO_CALLER: AclCaller = Object.freeze({ token: undefined, authorizer: undefined })

/** Limits for `Meta`, because it becomes part of the token's description. */
const MAX_META_MEMBERS = 64
const MAX_META_NAME_CHARACTERS = 128
const MAX_META_VALUE_CHARACTERS = 512

export const loginOperations = {
  /**
   * @throws KernelError 400 if `AuthMethod` or `BearerToken` is missing, or if `Meta` is too large or has a value that is not a string.
   * @throws KernelError 403 if `BearerToken` is invalid for any reason, or if no binding rule of the auth method matches.
   * @throws KernelError 429 if too many recent bearer tokens had a wrong signature.
   */
  login: configOperation({
    kind: 'write',
    verb: 'POST',
    path: '/acl/login',
    summary:
      "Verifies a bearer token with an auth method, and creates an ACL token with the grants of the method's binding rules.",
    thing: 'Login',
    fields: {},
    body: {
      AuthMethod: f.strictText('The name of the auth method, regardless of case.').default(''),
      BearerToken: f.strictText('The bearer token that the auth method verifies.').default(''),
      Meta: f.textMap('Names with string values, which become part of the description of the new token.').default({}),
      ...SCOPE_FIELDS,
    },
    answers: TOKEN_SHOWN,
    check({ AuthMethod, BearerToken, Meta }) {
      if (AuthMethod === '') throw invalid('Login: AuthMethod: is required')
      if (BearerToken === '') throw invalid('Login: BearerToken: is required')
      readMeta(Meta)
    },
    prepare: (tx, input) =>
      hidingReason(input.AuthMethod, () =>
        verifyAclLogin(tx, resolveNamespace(tx, NO_CALLER, input), input.AuthMethod, input.BearerToken),
      ),
    run: (tx, input, found) =>
      hidingReason(input.AuthMethod, () => {
        const { record, SecretID } = createLoginToken(tx, found as VerifiedLogin, readMeta(input.Meta))
        return shownToken(tx, record, SecretID)
      }),
  }),

  /**
   * @throws KernelError 401 if the caller has no token. The application itself has no token.
   * @throws KernelError 403 if the caller's token was not created by a login.
   */
  logout: configOperation({
    kind: 'write',
    verb: 'POST',
    path: '/acl/logout',
    summary: 'Deletes the token with which the request is sent. Only a token that a login created can be deleted this way.',
    thing: 'Logout',
    fields: {},
    answers: f.bool('True.'),
    run(tx) {
      const { caller } = tx.call
      if (caller.kind === 'app' || caller.secret === '')
        throw new KernelError('ERR_UNAUTHENTICATED', 'logout needs the token that it deletes')
      const token = requireToken(tx, caller.secret)
      if (!token.AuthMethod)
        throw new KernelError('ERR_PERMISSION_DENIED', 'Permission denied: the token was not created by a login')
      nextIndex(tx, 'tokens')
      deleteAclToken(tx, tokenIdOf(tx, caller.secret), token)
      return true
    },
  }),
}

/** @throws KernelError 400 */
function readMeta(sent: object): ReadonlyMap<string, string> {
  const meta = new Map<string, string>()
  for (const [name, value] of entriesOf(sent)) {
    if (typeof value !== 'string') throw invalid('Login: Meta: must be an object with string values')
    if (name.length > MAX_META_NAME_CHARACTERS || value.length > MAX_META_VALUE_CHARACTERS)
      throw invalid(
        `Login: Meta: names must have at most ${MAX_META_NAME_CHARACTERS} characters, values at most ${MAX_META_VALUE_CHARACTERS}`,
      )
    meta.set(name, value)
    if (meta.size > MAX_META_MEMBERS) throw invalid(`Login: Meta: must have at most ${MAX_META_MEMBERS} members`)
  }
  return meta
}
