/**
 * The second process: it reads the root key and the files, and has no data from the memory of the first process. `run.mjs` starts it. It can
 * also be run separately after `run.mjs`. Exits with code 0 if all data is unchanged, otherwise with code 1 and the reason.
 */
import { existsSync, readFileSync } from 'node:fs'
import { formatCsv, parseCsv } from './csv.mjs'
import { findByEmail } from './email-index.mjs'
import { withKernel } from './open-kernel.mjs'
import { ENCRYPTED, INPUT, SIGNATURE } from './places.mjs'
import { rate, say, step } from './report.mjs'
import { readRootKey } from './root-key.mjs'
import { columnOf, decryptCells, KEY, sensitiveCells } from './sensitive-cells.mjs'
import { isSignedByKernel, isSignedByOpenSsl, publicKeyOf, SIGNING_KEY } from './statement.mjs'

async function main() {
  const key = readRootKey()
  if (!existsSync(ENCRYPTED) || !existsSync(SIGNATURE)) throw new Error('There is no encrypted file yet: run run.mjs first.')
  const input = readFileSync(INPUT)
  const bytes = readFileSync(ENCRYPTED)
  const signature = readFileSync(SIGNATURE, 'utf8').trim()
  await withKernel({ key, initialize: false }, async (kernel) => {
    await checkSignature(kernel, bytes, signature)
    const table = parseCsv(bytes.toString('utf8'))
    const decrypted = await checkContent(kernel, table, input)
    await lookUp(kernel, table, decrypted)
    await moveCell(kernel, table)
  })
}

async function checkSignature(kernel, bytes, signature) {
  const publicKey = await publicKeyOf(kernel, signature)
  const byKernel = await isSignedByKernel(kernel, bytes, signature)
  const byOpenSsl = isSignedByOpenSsl(publicKey, bytes, signature)
  if (!byKernel || !byOpenSsl) throw new Error(`the signature is not valid: kernel ${byKernel}, node:crypto ${byOpenSsl}`)
  say(`  signature valid: by the kernel, and by node:crypto from the public key of ${SIGNING_KEY}`)
}

async function checkContent(kernel, table, input) {
  const cells = sensitiveCells(table).length
  const decrypted = await step(
    (_, ms) => `decrypted ${rate(cells, 'cells', ms)}`,
    () => decryptCells(kernel, table),
  )
  const again = Buffer.from(formatCsv(decrypted.map((row) => row.slice(0, -1))))
  if (!again.equals(input)) throw new Error('the decrypted table differs from customers.csv')
  say(`  same as customers.csv, byte for byte (${input.length} bytes)`)
  return decrypted
}

/** Finds one customer in the encrypted table, and decrypts only the cells of that row. */
async function lookUp(kernel, table, decrypted) {
  const email = columnOf(decrypted[0], 'email')
  const wanted = decrypted.findLast((row) => row[email] !== '')
  const row = await findByEmail(kernel, table, wanted[email].toUpperCase())
  if (table[row]?.[0] !== wanted[0]) throw new Error('the e-mail index does not find its customer')
  say(`  looked up ${wanted[email].toUpperCase()} by its HMAC: ${table[row][0]}`)
}

/** An attack by a person who can write to the file but has no key: gives a customer the bank account of another customer. */
async function moveCell(kernel, table) {
  const iban = columnOf(table[0], 'iban')
  const id = columnOf(table[0], 'id')
  const associated_data = new TextEncoder().encode(`customers/${table[1][id]}/iban`)
  const outcome = await kernel.transit.decrypt({ name: KEY, ciphertext: table[2][iban], associated_data }).catch((error) => error)
  if (!(outcome instanceof Error)) throw new Error('a cell that was moved to another row still decrypts')
  say(`  moved a bank account to another customer: refused (${outcome.message})`)
}

main().catch((error) => {
  console.error(`  ${error.message}`)
  process.exitCode = 1
})
