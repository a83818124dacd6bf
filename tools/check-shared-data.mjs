// check-shared-data LOG: fails if the folder `shared` beside the repository holds recordings or vectors that no test used.
// LOG is the file in which the tests noted the data that they used. The variable STRONGROOM_SHARED_DATA_LOG names it during the test run.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SHARED = fileURLToPath(new URL('../../shared/', import.meta.url))

/** The folders and files that tests must have used. */
const DATA = ['transcripts/openbao/', 'vectors/', 'reference/transit-vectors.json']

/** Path prefixes of data about features that this project does not have. */
const NOT_BUILT = [
  // AppRole, userpass, identities and `sys/tools`.
  ...['approle', 'userpass', 'identity', 'tools'].map((area) => `transcripts/openbao/${area}/`),
  // Algorithms that no key type has.
  ...['aes_cmac', 'mldsa', 'mlkem'].map((algorithm) => `vectors/wycheproof/${algorithm}_`),
  // OAEP uses the same hash for the label and the mask generation.
  'vectors/wycheproof/rsa_oaep_2048_sha256_mgf1sha1_test.json',
]

const filesBelow = (root, path) =>
  path.endsWith('/')
    ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) => path + name.replaceAll('\\', '/'))
    : [path]

/**
 * Returns the data files below `root` that no test has noted. A note that ends with a slash covers everything below that folder.
 * @param {string} root
 * @param {readonly string[]} notes
 * @returns {string[]}
 */
export function unusedData(root, notes) {
  const noted = new Set(notes)
  const folders = [...noted].filter((note) => note.endsWith('/'))
  return DATA.filter((path) => existsSync(join(root, path)))
    .flatMap((path) => filesBelow(root, path))
    .filter((path) => path.endsWith('.json') && !NOT_BUILT.some((beginning) => path.startsWith(beginning)))
    .filter((path) => !noted.has(path) && !folders.some((folder) => path.startsWith(folder)))
    .sort()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [log] = process.argv.slice(2)
  if (!log) throw new Error('usage: node tools/check-shared-data.mjs LOG')
  const notes = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []
  const unused = unusedData(SHARED, notes)
  for (const path of unused) console.error(`shared/${path}: no test used it`)
  console.log(`check-shared-data: ${notes.length} notes, ${unused.length} files unused`)
  process.exitCode = unused.length > 0 ? 1 : 0
}
