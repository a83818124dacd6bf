/**
 * `npm start`: keeps the sensitive columns of a customer table encrypted, in a store that survives this process.
 *
 * The first run creates a root key, a store and keys, and encrypts `customers.csv` cell by cell. Every later run opens the existing store,
 * and verifies and decrypts the file that the run before has written. Every run rotates the key, rewraps the table under the new version,
 * and signs the file. Then a second process, `verify.mjs`, checks that the file can be read. Exits with code 0, or with code 1 and the reason.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { formatCsv, parseCsv } from './csv.mjs'
import { INDEX_KEY, indexColumn } from './email-index.mjs'
import { withKernel } from './open-kernel.mjs'
import { ENCRYPTED, INPUT, ROOT_KEY, SIGNATURE, shown, VERIFIER } from './places.mjs'
import { progressBar, rate, say, step } from './report.mjs'
import { rootKey } from './root-key.mjs'
import { decryptCells, encryptCells, KEY, rewrapCells, sensitiveCells } from './sensitive-cells.mjs'
import { isSignedByKernel, SIGNING_KEY, signFile } from './statement.mjs'

async function main() {
  const started = performance.now()
  const input = readFileSync(INPUT, 'utf8')
  const rows = parseCsv(input)
  if (formatCsv(rows) !== input) throw new Error(`${shown(INPUT)}: some cells have unnecessary quotes, or lines end with CR LF`)
  const cells = sensitiveCells(rows).length
  say(`customers.csv: ${rows.length - 1} customers, ${Buffer.byteLength(input)} bytes, ${cells} sensitive cells`)

  say('\nOpening the store')
  const { key, fresh } = rootKey()
  say(fresh ? `  made a root key, ${shown(ROOT_KEY)}, readable by you alone` : `  root key found, ${shown(ROOT_KEY)}`)
  say('  (an example may keep it beside the store; in production it comes from the environment or a KMS)')
  await withKernel({ key, initialize: true }, async (kernel) => {
    await makeKeys(kernel)
    const before = (await lastRun(kernel, input, cells)) ?? (await encrypt(kernel, rows, cells))
    const after = await rotate(kernel, before, cells)
    await save(kernel, after)
    await retire(kernel, before)
  })

  // The kernel is closed and its keys are wiped. The second process uses only the files.
  say('\nReading it back in a second process')
  const { status, error } = spawnSync(process.execPath, [VERIFIER], { stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) throw new Error('the second process could not verify the written files')
  say(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s. Run it again: it goes on from here.`)
}

/** Creating a key that already exists does not change it and returns a warning, so this function may run at every start. */
async function makeKeys(kernel) {
  const types = { [KEY]: 'aes256-gcm96', [INDEX_KEY]: 'hmac', [SIGNING_KEY]: 'ecdsa-p256' }
  for (const [name, type] of Object.entries(types)) {
    const { warnings, latest_version } = await kernel.transit.createKey({ name, type })
    say(`  key ${name} (${type}): ${warnings ? `found, version ${latest_version}` : 'created'}`)
  }
}

/** Returns the encrypted table of the run before, or undefined if it does not exist or the input has changed since. */
async function lastRun(kernel, input, cells) {
  if (!existsSync(ENCRYPTED)) return undefined
  say('\nPicking up what the last run has written')
  const bytes = readFileSync(ENCRYPTED)
  const signature = existsSync(SIGNATURE) ? readFileSync(SIGNATURE, 'utf8').trim() : ''
  if (signature === '' || !(await isSignedByKernel(kernel, bytes, signature)))
    throw new Error(
      `${shown(ENCRYPTED)} is not the file that was signed. Restore it, or delete it to encrypt customers.csv anew.`,
    )
  say('  its signature is valid')
  const table = parseCsv(bytes.toString('utf8'))
  const decrypted = await step(
    (_, ms) => `decrypted ${rate(cells, 'cells', ms)}`,
    () => decryptCells(kernel, table),
  )
  if (formatCsv(decrypted.map((row) => row.slice(0, -1))) === input) {
    say('  same bytes as customers.csv: going on with the file')
    return table
  }
  say('  customers.csv has changed since: encrypting it anew')
  return undefined
}

async function encrypt(kernel, rows, cells) {
  say('\nEncrypting')
  const table = await step(
    (_, ms) => `encrypted ${rate(cells, 'cells', ms)}, each bound to its row and column`,
    () => encryptCells(kernel, rows),
  )
  const index = await step(
    (column, ms) => `e-mail index made, ${rate(column.length - 1, 'HMACs', ms)}`,
    () => indexColumn(kernel, rows),
  )
  return table.map((row, at) => [...row, index[at]])
}

/** Rotates the key and rewraps every cell under the new version. Until the rewrapped file is on disk, the old file stays readable. */
async function rotate(kernel, table, cells) {
  say('\nRotating')
  const { latest_version } = await kernel.transit.rotateKey({ name: KEY })
  say(`  key ${KEY} is now at version ${latest_version}`)
  return step(
    (_, ms) => `rewrapped ${rate(cells, 'cells', ms)}, no plaintext left the kernel`,
    () => rewrapCells(kernel, table, progressBar('rewrapping')),
  )
}

async function save(kernel, table) {
  say('\nSaving')
  const bytes = Buffer.from(formatCsv(table))
  replaceFile(ENCRYPTED, bytes)
  say(`  wrote ${shown(ENCRYPTED)}, ${bytes.length} bytes`)
  const signature = await step(
    () => `signed it with ${SIGNING_KEY}`,
    () => signFile(kernel, bytes),
  )
  replaceFile(SIGNATURE, `${signature}\n`)
}

/** Replaces the file. Even after a crash, either the old file or the new file is complete and on disk. */
function replaceFile(path, content) {
  writeFileSync(`${path}.new`, content, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}

/** Removes the older versions, which no cell uses. Afterwards even this kernel cannot decrypt a copy of the old file. */
async function retire(kernel, [header, old]) {
  const { latest_version } = await kernel.transit.readKey({ name: KEY })
  await kernel.transit.configureKey({ name: KEY, min_decryption_version: latest_version })
  const ciphertext = old[header.indexOf('name')]
  const refusal = await kernel.transit.decrypt({ name: KEY, ciphertext }).catch((error) => error)
  if (!(refusal instanceof Error)) throw new Error('a retired key version still decrypts')
  say(`  retired older versions; a cell from before: refused (${refusal.message})`)
}

main().catch((error) => {
  console.error(`\nFailed: ${error.message}`)
  process.exitCode = 1
})
