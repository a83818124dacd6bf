/**
 * Where everything lies. All that a run makes is in `store/`: delete that folder to start over.
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

export const INPUT = here('customers.csv')
export const STORE = here('store')
/** LMDB's own folder: everything in it is encrypted under the root key. */
export const DATABASE = here('store/kernel')
export const ROOT_KEY = here('store/root.key')
export const ENCRYPTED = here('store/customers.encrypted.csv')
export const SIGNATURE = here('store/customers.encrypted.csv.signature')
export const VERIFIER = here('verify.mjs')

/** As it is shown: from where the command was started. */
export const shown = (path) => relative(process.cwd(), path)
