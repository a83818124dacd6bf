/**
 * Answers requests for paths that version 2 does not have, such as paths of version 1. Vault's clients detect the version of a mount by
 * these answers. Used only by calls by path.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { operation, type Verb } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { KV_SECRET_PATH } from './fields.ts'

/** The first segments of valid paths. */
const PREFIXES: ReadonlySet<string> = new Set([
  'data',
  'metadata',
  'detailed-metadata',
  'delete',
  'undelete',
  'destroy',
  'subkeys',
])
const INVALID = 'Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use.'
const ROOT = 'Non-listing operations on the root of a K/V v2 mount are not supported.'

const wrongVerb = (): KernelError =>
  new KernelError('ERR_UNSUPPORTED_OPERATION', '1 error occurred:\n\t* unsupported operation\n\n')

const wrongPath = (warning: string): KernelError =>
  new KernelError('ERR_UNSUPPORTED_PATH', warning, { shown: { data: undefined, warnings: [warning] } })

/** Throws Vault's error for a path that no other operation of this engine has. For a bare prefix such as `data/`, returns undefined instead. */
function refuseUnknownPath(verb: Verb, path: string): undefined {
  const [prefix = '', ...rest] = path.split('/')
  if (path === 'config' && verb !== 'LIST') throw wrongVerb()
  if (!PREFIXES.has(prefix)) throw wrongPath(INVALID)
  if (rest.length === 1 && rest[0] === '') return undefined
  if (rest.length > 0 || prefix === 'detailed-metadata') throw wrongVerb()
  if (prefix === 'subkeys') throw wrongPath(INVALID)
  throw verb === 'LIST' ? wrongVerb() : wrongPath(ROOT)
}

const common = { path: '/*path', summary: 'This path does not exist in version 2 of the engine.', returns: {} } as const

const withoutBody = (verb: 'GET' | 'LIST' | 'DELETE') =>
  operation({
    ...common,
    kind: 'read',
    verb,
    fields: { path: KV_SECRET_PATH },
    run: (_tx, { path }) => refuseUnknownPath(verb, path),
  })

const withBody = (verb: 'POST' | 'PATCH') =>
  operation({
    ...common,
    kind: 'read',
    verb,
    fields: { path: KV_SECRET_PATH, data: f.object('The body, which is ignored.') },
    body: 'data',
    run: (_tx, { path }) => refuseUnknownPath(verb, path),
  })

export const wrongPathOperations = {
  readNothing: withoutBody('GET'),
  listNothing: withoutBody('LIST'),
  deleteNothing: withoutBody('DELETE'),
  writeNothing: withBody('POST'),
  patchNothing: withBody('PATCH'),
}
