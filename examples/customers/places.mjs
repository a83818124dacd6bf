/**
 * The paths of all files. A run writes only to `store/`: delete that folder to start again.
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

export const INPUT = here('customers.csv')
export const STORE = here('store')
/** The folder of LMDB. All data in it is encrypted under the root key. */
export const DATABASE = here('store/kernel')
export const ROOT_KEY = here('store/root.key')
export const ENCRYPTED = here('store/customers.encrypted.csv')
export const SIGNATURE = here('store/customers.encrypted.csv.signature')
export const VERIFIER = here('verify.mjs')

/** The path as it is printed: relative to the folder in which the command was started. */
export const shown = (path) => relative(process.cwd(), path)
