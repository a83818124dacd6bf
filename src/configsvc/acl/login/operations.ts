/**
 * `acl/login` and `acl/logout`: a token that an auth method verifies for one of this service, and its end.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import { entriesOf } from '../../../core/json/wide-object.ts'
import { nextIndex } from '../../index/counter.ts'
import { configOperation } from '../../operation.ts'
import { namespaceOf } from '../../scope.ts'
import type { Asker } from '../asker.ts'
import { PLACED_FIELDS } from '../kept-fields.ts'
import { shownToken, TOKEN_SHOWN } from '../tokens/fields.ts'
import { endToken } from '../tokens/make-token.ts'
import { tokenIdOf, tokenOf } from '../valid-token.ts'
import { grant } from './grant.ts'
import { refusing } from './refusals.ts'
import { type Verified, verify } from './verify.ts'

/** A token that is sent with a login does not count, and is not even looked at. */
const NOBODY: Asker = Object.freeze({ token: undefined, authorizer: undefined })

/** Bounds of Meta, which becomes part of every such token. */
const MOST_META = 64
const LONGEST_META_NAME = 128
const LONGEST_META_VALUE = 512

export const loginOperations = {
  login: configOperation({
    kind: 'write',
    verb: 'POST',
    path: '/acl/login',
    summary: 'Lets in whoever an auth method knows, and gives a token with what its binding rules say.',
    thing: 'Login',
    fields: {},
    body: {
      AuthMethod: f.strictText('The name of the auth method, in any case.').default(''),
      BearerToken: f.strictText('The token that the method verifies.').default(''),
      Meta: f.textMap('Texts by name, for the description of the token.').default({}),
      ...PLACED_FIELDS,
    },
    answers: TOKEN_SHOWN,
    check({ AuthMethod, BearerToken, Meta }) {
      if (AuthMethod === '') throw invalid('Login: AuthMethod: is required')
      if (BearerToken === '') throw invalid('Login: BearerToken: is required')
      readMeta(Meta)
    },
    first: (tx, input) =>
      refusing(input.AuthMethod, () => verify(tx, namespaceOf(tx, NOBODY, input), input.AuthMethod, input.BearerToken)),
    run: (tx, input, found) =>
      refusing(input.AuthMethod, () => {
        const { record, SecretID } = grant(tx, found as Verified, readMeta(input.Meta))
        return shownToken(tx, record, SecretID)
      }),
  }),

  logout: configOperation({
    kind: 'write',
    verb: 'POST',
    path: '/acl/logout',
    summary: 'Ends the token of the request, which a login has made.',
    thing: 'Logout',
    fields: {},
    answers: f.bool('True.'),
    run(tx) {
      const { caller } = tx.call
      if (caller.kind === 'app' || caller.secret === '')
        throw new KernelError('ERR_UNAUTHENTICATED', 'a logout needs the token that is to end')
      const token = tokenOf(tx, caller.secret)
      if (!token.AuthMethod) throw new KernelError('ERR_PERMISSION_DENIED', 'Permission denied: no login has made this token')
      nextIndex(tx, 'tokens')
      endToken(tx, tokenIdOf(tx, caller.secret), token)
      return true
    },
  }),
}

/** @throws KernelError 400 */
function readMeta(sent: object): ReadonlyMap<string, string> {
  const meta = new Map<string, string>()
  for (const [name, value] of entriesOf(sent)) {
    if (typeof value !== 'string') throw invalid('Login: Meta: must be an object of texts')
    if (name.length > LONGEST_META_NAME || value.length > LONGEST_META_VALUE)
      throw invalid(`Login: Meta: names have at most ${LONGEST_META_NAME} characters, values ${LONGEST_META_VALUE}`)
    meta.set(name, value)
    if (meta.size > MOST_META) throw invalid(`Login: Meta: must have at most ${MOST_META} members`)
  }
  return meta
}
