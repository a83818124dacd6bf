/** A project with a store that has keys, secrets, tokens, shares and an audit log, for tests of all commands. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProgramOutcome, projectFolder, type RunOptions, runProgram, runScript } from './installed-program.ts'

/**
 * STORE and SEAL choose the store and its seal. TARGET is the store of the second config. If SLOW names a method of the storage, its calls
 * take 200 ms from the third one on, which is reported on standard error.
 */
const CONFIG = `import { keySeal, shamirSeal, memoryStorage } from 'strongroom'
import { fileAudit } from 'strongroom/audit/file'
import { lmdbStorage } from 'strongroom/storage/lmdb'

const { STORE = './store', SEAL = 'key', SLOW } = process.env
const seals = { key: () => keySeal(Buffer.alloc(32, 'k')), wrong: () => keySeal(Buffer.alloc(32, 'w')), shamir: shamirSeal }
const slowly = (storage) => {
  let calls = 0
  return new Proxy(storage, {
    get(target, name) {
      const value = target[name]
      if (typeof value !== 'function') return value
      if (name !== SLOW) return value.bind(target)
      return async (...args) => {
        const result = await value.apply(target, args)
        if (++calls === 3) process.stderr.write('THIRD CALL\\n')
        if (calls >= 3) await new Promise((done) => setTimeout(done, 200))
        return result
      }
    },
  })
}
const storage = lmdbStorage({ path: STORE })
const log = fileAudit({ path: STORE + '.audit' })

export default async () => ({
  storage: SLOW ? slowly(storage) : storage,
  seal: seals[SEAL](),
  ports: { audit: { sinks: { log } } },
})
export const conformance = { open: async () => memoryStorage() }
export async function close() {
  log.close()
  await storage.close()
}
`

/** Writes so many secrets that copies, backups and restores read and write the store in many pieces. */
const FILL = `import { createKernel } from 'strongroom'
import config, { close } from './strongroom.config.mjs'

const kernel = await createKernel(await config())
for (let from = 0; from < Number(process.env.SECRETS); from += 100) {
  const paths = Array.from({ length: 100 }, (_, at) => 'many/' + (from + at))
  await Promise.all(paths.map((path) => kernel.kv.writeSecret({ path, data: { path } })))
}
await kernel.close()
await close()
`

/** Writes a JSONL file with ciphertexts, of which every tenth line lacks the field. */
const ENCRYPT = `import { writeFileSync } from 'node:fs'
import { createKernel } from 'strongroom'
import config, { close } from './strongroom.config.mjs'

const { LINES, OUT } = process.env
const kernel = await createKernel(await config())
const lines = []
for (let from = 0; from < Number(LINES); from += 500) {
  const ids = Array.from({ length: 500 }, (_, at) => from + at)
  const batch_input = ids.map((id) => ({ plaintext: Buffer.from('row ' + id), associated_data: Buffer.from('customer:' + id) }))
  const { batch_results } = await kernel.transit.encryptBatch({ name: 'customers', batch_input })
  for (const [at, { ciphertext }] of batch_results.entries()) {
    lines.push('{"id": ' + ids[at] + ', "big":12345678901234567890,"email":"' + ciphertext + '","note":"\\u00e9 \\\\u00e9"}')
    if (at % 10 === 0) lines.push('{"id":"none"}')
  }
}
writeFileSync(OUT, lines.join('\\n') + '\\n')
await kernel.close()
await close()
`

/** Compares the rewrapped lines with the lines before, and decrypts every ciphertext. */
const COMPARE = `import { readFileSync } from 'node:fs'
import { createKernel } from 'strongroom'
import config, { close } from './strongroom.config.mjs'

const { BEFORE, AFTER } = process.env
const kernel = await createKernel(await config())
const [before, after] = [BEFORE, AFTER].map((file) => readFileSync(file, 'utf8').split('\\n'))
const CIPHERTEXT = /strongroom:v\\d+:[A-Za-z0-9+/=]+/
const without = (line) => line.replace(CIPHERTEXT, '')
if (before.length !== after.length || before.some((line, at) => without(line) !== without(after[at]))) throw new Error('lines differ')
const texts = after.filter((line) => CIPHERTEXT.test(line))
const versions = new Set()
for (let from = 0; from < texts.length; from += 500) {
  const part = texts.slice(from, from + 500).map((line) => JSON.parse(line))
  const batch_input = part.map(({ id, email }) => ({ ciphertext: email, associated_data: Buffer.from('customer:' + id) }))
  const { batch_results } = await kernel.transit.decryptBatch({ name: 'customers', batch_input })
  for (const [at, { plaintext }] of batch_results.entries()) {
    versions.add(part[at].email.split(':')[1])
    if (Buffer.from(plaintext).toString() !== 'row ' + part[at].id) throw new Error('plaintexts differ')
  }
}
console.log(JSON.stringify({ lines: texts.length, versions: [...versions] }))
await kernel.close()
await close()
`

export const SECRET_VALUE = 'correct-horse-battery-staple'
export const POLICY = 'path "secret/*" {\n  capabilities = ["read", "list"]\n}\n'

export interface OperatorProject {
  readonly folder: string
  /** Texts that no output and no argument may contain. */
  readonly secrets: readonly string[]
  /** The accessor of the token in the file `token`. */
  readonly accessor: string
  run(args: readonly string[], options?: Omit<RunOptions, 'cwd'>): Promise<ProgramOutcome>
  script(name: 'encrypt.mjs' | 'compare.mjs' | 'fill.mjs', env: Readonly<Record<string, string>>): Promise<ProgramOutcome>
  write(file: string, text: string): void
  read(file: string): string
}

export const SHAMIR = { STORE: './shamir', SEAL: 'shamir' }

export async function operatorProject(): Promise<OperatorProject> {
  const folder = projectFolder()
  mkdirSync(join(folder, 'empty'))
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const run: OperatorProject['run'] = (args, options = {}) => runProgram(args, { cwd: folder, ...options })
  const succeed = async (args: readonly string[], options?: Omit<RunOptions, 'cwd'>): Promise<string> => {
    const { code, stdout, stderr } = await run(args, options)
    if (code !== 0) throw new Error(`strongroom ${args.join(' ')} ended with ${code}: ${stderr}`)
    return stdout
  }
  write('strongroom.config.mjs', CONFIG)
  write('target.config.mjs', CONFIG.replaceAll('STORE', 'TARGET').replace('SLOW }', 'SLOW_TARGET: SLOW }'))
  write('encrypt.mjs', ENCRYPT)
  write('compare.mjs', COMPARE)
  write('fill.mjs', FILL)
  write('app.hcl', POLICY)
  write('secret.json', JSON.stringify({ password: SECRET_VALUE }))

  await succeed(['init', '--out', 'init.json'])
  await succeed(['keys', 'create', 'customers'])
  await succeed(['kv', 'put', 'app/database', '--data-file', 'secret.json'])
  await succeed(['token', 'create', '--policy', 'root', '--out', 'token.json'])
  await succeed(['token', 'create', '--policy', 'default', '--out', 'weak.json'])
  const token = JSON.parse(read('token.json')) as { token: string; accessor: string }
  const weak = JSON.parse(read('weak.json')) as { token: string }
  write('token', `${token.token}\n`)
  write('weak-token', `${weak.token}\n`)
  await succeed(['init', '--shares', '3', '--threshold', '2', '--out', 'shamir.json'], { env: SHAMIR })
  const { keys } = JSON.parse(read('shamir.json')) as { keys: readonly string[] }
  write('shares', `${keys.slice(0, 2).join('\n')}\n`)
  write('other-shares', `${'ab'.repeat(33)}\n${'cd'.repeat(33)}\n`)

  const { root_token } = JSON.parse(read('init.json')) as { root_token: string }
  return {
    folder,
    accessor: token.accessor,
    secrets: [root_token, token.token, weak.token, ...keys, SECRET_VALUE],
    run,
    script: (name, env) => runScript(name, { cwd: folder, env }),
    write,
    read,
  }
}
