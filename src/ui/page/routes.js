// @ts-check
/** Routes are in the fragment of the address, which is never sent to a server: `#/keys/transit/orders`. */

/** @typedef {{ view: string, names: readonly string[] }} Route */

/**
 * The address of a view. Names may contain any character.
 * @param {string} view
 * @param {string[]} names
 */
export const routeTo = (view, ...names) => `#/${[view, ...names].map((name) => encodeURIComponent(name)).join('/')}`

/** @returns {Route} */
export function route() {
  const [, view = '', ...names] = location.hash.split('/')
  try {
    return { view: decodeURIComponent(view), names: names.map((name) => decodeURIComponent(name)) }
  } catch {
    return { view: '', names: [] }
  }
}
