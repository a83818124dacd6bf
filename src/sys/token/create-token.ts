/** POST auth/token/create, create-orphan and create/:role_name, as in Vault. */
import { AUTH, authWire } from '../../core/contract/auth-reply.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { makeToken } from './make-token.ts'
import { REQUEST } from './token-request.ts'

const PATH = 'auth/token/create'

export const createToken = operation({
  kind: 'write',
  verb: 'POST',
  path: '/create',
  summary:
    'Creates a token. It is a child of the calling token, so it is revoked together with that token; if the application calls, it is an orphan.',
  fields: REQUEST,
  returns: AUTH,
  wire: authWire,
  run: (tx, request) => makeToken(tx, request, { path: PATH }),
})

export const createOrphan = operation({
  kind: 'write',
  verb: 'POST',
  path: '/create-orphan',
  summary: 'Creates an orphan token, which is not revoked together with another token.',
  fields: REQUEST,
  returns: AUTH,
  wire: authWire,
  run: (tx, request) => makeToken(tx, request, { path: `${PATH}-orphan`, orphan: true }),
})

export const createWithRole = operation({
  kind: 'write',
  verb: 'POST',
  path: '/create/:role_name',
  summary: 'Creates a token with the settings of a token role.',
  fields: { ...REQUEST, role_name: f.name('The name of the token role.') },
  returns: AUTH,
  wire: authWire,
  run: (tx, { role_name, ...request }) => makeToken(tx, request, { path: `${PATH}/${role_name}`, role: role_name }),
})
