import type { KernelView } from '../../kernel.ts'
import { memberLines } from '../align-columns.ts'
import { command } from '../command.ts'
import { CommandError, usageError } from '../command-error.ts'
import type { CommandSession } from '../command-session.ts'
import { mountOption } from '../mount-option.ts'
import { toJson } from '../to-json.ts'

const MOUNT = mountOption('secret')
const PATH = { name: 'path', summary: 'The path of the secret below the mount' }

type Chosen = { readonly version: 1; readonly kv: KernelView['kv'] } | { readonly version: 2; readonly kv: KernelView['kv2'] }

/** The facade for the mount, by the version of its engine. The application reads the mount, because a token rarely may. */
async function kvOf(session: CommandSession, mount = 'secret'): Promise<Chosen> {
  const path = mount.endsWith('/') ? mount : `${mount}/`
  const caller = await session.caller()
  const { type, options } = await (await session.kernel()).mounts.readMount({ path })
  if (type !== 'kv') throw new CommandError('failed', `${path}: is a mount of the type ${type}, not kv`)
  return options?.['version'] === '2' ? { version: 2, kv: caller.kv2.at(path) } : { version: 1, kv: caller.kv.at(path) }
}

export const kvGet = command({
  name: 'kv get',
  summary: 'Show a secret',
  options: {
    mount: MOUNT,
    field: { kind: 'text', value: 'name', summary: 'Show the value of this field only' },
    version: { kind: 'integer', summary: 'The version of the secret. Default: the latest; needs a mount of version 2' },
  },
  positionals: [PATH],
  example: 'kv get app/database --field password',
  async run({ options, args, session }) {
    const chosen = await kvOf(session, options.mount)
    const path = args[0] as string
    if (chosen.version === 1 && options.version !== undefined) throw usageError('--version: the mount keeps no versions')
    const { data, ...rest } =
      chosen.version === 1 ? await chosen.kv.readSecret({ path }) : await chosen.kv.readSecret({ path, version: options.version })
    const metadata = 'metadata' in rest ? { metadata: rest.metadata } : {}
    if (options.field === undefined) return { data: { data, ...metadata }, text: memberLines(data).join('\n') }
    if (!Object.hasOwn(data, options.field)) throw new CommandError('failed', `--field: the secret has no field of this name`)
    const value = data[options.field]
    const text =
      typeof value === 'string' ? value : typeof value === 'object' && value !== null ? await toJson(value) : String(value)
    return { data: { value }, text }
  },
})

export const kvPut = command({
  name: 'kv put',
  summary: 'Write a secret',
  details: `The secret is a JSON object from --data-file or from standard input. With --field, the input is the text of this one field; on a
terminal, it is entered without being shown.`,
  options: {
    mount: MOUNT,
    'data-file': { kind: 'file', summary: 'A file with the secret; - for standard input' },
    field: { kind: 'text', value: 'name', summary: 'Write a secret with this field only' },
    cas: { kind: 'integer', summary: 'Write only if this is the latest version; needs a mount of version 2' },
  },
  positionals: [PATH],
  example: 'kv put app/database --data-file database.json',
  async run({ options, args, session }) {
    const { cas, field } = options
    const path = args[0] as string
    const chosen = await kvOf(session, options.mount)
    if (chosen.version === 1 && cas !== undefined) throw usageError('--cas: the mount keeps no versions')
    const text = await session.secrets.read({ what: 'secret', file: options['data-file'] })
    const data = field === undefined ? await readObject(text) : { [field]: text }
    if (chosen.version === 1) {
      await chosen.kv.writeSecret({ path, data })
      return { data: { path }, text: `${path} is written.` }
    }
    const { version } = await chosen.kv.writeSecret({ path, data, ...(cas !== undefined && { options: { cas } }) })
    return { data: { path, version }, text: `Version ${version} of ${path} is written.` }
  },
})

/** Keeps the digits of large integers. The message never contains a part of the text. */
async function readObject(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { parseJsonNow } = await import('../../core/json/json.ts')
  let value: unknown
  try {
    value = parseJsonNow(new TextEncoder().encode(text))
  } catch {
    throw usageError('secret: must be a JSON object; use --field to write a text')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usageError('secret: must be a JSON object')
  return value as Readonly<Record<string, unknown>>
}

export const kvList = command({
  name: 'kv list',
  summary: 'List the secrets and folders in a folder',
  options: { mount: MOUNT },
  positionals: [{ name: 'path', summary: 'The folder. Default: the root of the mount', optional: true }],
  example: 'kv list app',
  async run({ options, args, session }) {
    const { kv } = await kvOf(session, options.mount)
    const { keys } = await kv.listSecrets(args[0] === undefined ? {} : { path: args[0] })
    return { data: { keys }, text: keys.join('\n') }
  },
})
