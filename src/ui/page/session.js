// @ts-check
/** The visitor's token and namespace. They are in the memory of the page, and in the storage of the browser's tab if the visitor chose that. */

const KEY = 'strongroom.session'

/** @typedef {{ token: string, namespace: string, base: string }} Session */

/** `namespace` is the path that requests use; `base` is the namespace of the login. Both are empty or end with a slash. */
/** @type {Session | undefined} */
let current = read()

export const session = () => current

/**
 * @param {Session} next
 * @param {boolean} isKept Whether the tab keeps the session when the page is loaded again.
 */
export function begin(next, isKept) {
  current = next
  if (isKept) sessionStorage.setItem(KEY, JSON.stringify(next))
}

/** @param {string} namespace */
export function chooseNamespace(namespace) {
  if (!current) return
  begin({ ...current, namespace }, sessionStorage.getItem(KEY) !== null)
}

export function end() {
  current = undefined
  sessionStorage.removeItem(KEY)
}

/** @returns {Session | undefined} */
function read() {
  try {
    const { token, namespace, base } = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    if ([token, namespace, base].every((value) => typeof value === 'string')) return { token, namespace, base }
  } catch {
    // A session that cannot be read is no session.
  }
  return undefined
}
