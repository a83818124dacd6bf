/** POST auth/token/create, create-orphan and create/:role_name (source: behaviour of the originals). */
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
  summary: 'Makes a token: a child of the token that asks, which dies with it, or an orphan where the application asks.',
  fields: REQUEST,
  returns: AUTH,
  wire: authWire,
  run: (tx, request) => makeToken(tx, request, { path: PATH }),
})

export const createOrphan = operation({
  kind: 'write',
  verb: 'POST',
  path: '/create-orphan',
  summary: 'Makes a token that no other takes with it.',
  fields: REQUEST,
  returns: AUTH,
  wire: authWire,
  run: (tx, request) => makeToken(tx, request, { path: `${PATH}-orphan`, orphan: true }),
})

export const createWithRole = operation({
  kind: 'write',
  verb: 'POST',
  path: '/create/:role_name',
  summary: 'Makes a token as a token role lets the caller.',
  fields: { ...REQUEST, role_name: f.name('The token role.') },
  returns: AUTH,
  wire: authWire,
  run: (tx, { role_name, ...request }) => makeToken(tx, request, { path: `${PATH}/${role_name}`, role: role_name }),
})
