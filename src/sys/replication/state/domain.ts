/**
 * Which part of the tree a key belongs to: a mount's, a namespace's, or the rest. Filters leave out parts as a whole.
 */

/** Folders of the kernel's own records whose ids begin with the uuid of what they belong to. */
const OWNED = new Set(['mount', 'namespace', 'policy', 'token-role', 'entity', 'alias', 'password-policy'])

const CORE = 'core'

/** The form of a domain's name; every uuid has it. */
const NAME = /^[A-Za-z0-9-]{1,64}$/

export function domainOf(key: string): string {
  // Work that is due lies at `<class>/due/<lane>/<time>/<mount>/<id>`.
  const [, place = '', folder = '', owner = '', mount = ''] = key.split('/', 5)
  const domain = place === 'due' ? mount : place !== CORE ? place : OWNED.has(folder) ? owner : CORE
  return NAME.test(domain) ? domain : CORE
}
