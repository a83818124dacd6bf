import type { KeyTypeName, Transit } from '../../index.ts'
import { memberLines } from '../align-columns.ts'
import { command } from '../command.ts'
import type { CommandSession } from '../command-session.ts'
import { mountOption } from '../mount-option.ts'

const MOUNT = mountOption('transit')
const NAME = { name: 'name', summary: 'The name of the key' }
const SWITCH = { kind: 'choice', value: 'true|false', choices: ['true', 'false'] } as const

async function transitOf(session: CommandSession, mount: string | undefined): Promise<Transit> {
  const { transit } = await session.caller()
  return mount === undefined ? transit : transit.at(mount)
}

type Key = Awaited<ReturnType<Transit['readKey']>>

const shown = ({ warnings: _, ...key }: Key & { readonly warnings?: unknown }) => ({
  data: key,
  text: memberLines(key).join('\n'),
})

export const keysList = command({
  name: 'keys list',
  summary: 'List the keys of the encryption engine',
  options: { mount: MOUNT },
  example: 'keys list',
  async run({ options, session }) {
    const { keys } = await (await transitOf(session, options.mount)).listKeys()
    return { data: { keys }, text: keys.join('\n') }
  },
})

export const keysShow = command({
  name: 'keys show',
  summary: 'Show the settings and versions of a key',
  options: { mount: MOUNT },
  positionals: [NAME],
  example: 'keys show customers',
  async run({ options, args, session }) {
    return shown(await (await transitOf(session, options.mount)).readKey({ name: args[0] as string }))
  },
})

export const keysCreate = command({
  name: 'keys create',
  summary: 'Create a key',
  options: {
    mount: MOUNT,
    type: { kind: 'text', summary: 'The key type, such as ed25519. Default: the type of the engine for encryption' },
    derived: { kind: 'flag', summary: 'Derive a key for each context' },
    convergent: { kind: 'flag', summary: 'Equal plaintexts have equal ciphertexts; needs --derived' },
    exportable: { kind: 'flag', summary: 'Allow exports of the key' },
    'allow-plaintext-backup': { kind: 'flag', summary: 'Allow backups of the key in plaintext' },
    'auto-rotate-period': { kind: 'text', value: 'duration', summary: 'The time between rotations, such as 720h' },
    'key-size': { kind: 'integer', summary: 'The size of an hmac key in bytes' },
  },
  positionals: [NAME],
  example: 'keys create customers --auto-rotate-period 720h',
  async run({ options, args, session }) {
    const transit = await transitOf(session, options.mount)
    const key = await transit.createKey({
      name: args[0] as string,
      // The engine refuses other types.
      type: options.type as KeyTypeName | undefined,
      derived: options.derived,
      convergent_encryption: options.convergent,
      exportable: options.exportable,
      allow_plaintext_backup: options['allow-plaintext-backup'],
      auto_rotate_period: options['auto-rotate-period'],
      key_size: options['key-size'],
    })
    return shown(key)
  },
})

export const keysRotate = command({
  name: 'keys rotate',
  summary: 'Add a version to a key',
  options: { mount: MOUNT },
  positionals: [NAME],
  example: 'keys rotate customers',
  async run({ options, args, session }) {
    return shown(await (await transitOf(session, options.mount)).rotateKey({ name: args[0] as string }))
  },
})

export const keysConfig = command({
  name: 'keys config',
  summary: 'Change the settings of a key',
  options: {
    mount: MOUNT,
    'min-decryption-version': { kind: 'integer', summary: 'Versions below this one no longer decrypt or verify' },
    'min-encryption-version': { kind: 'integer', summary: 'Versions below this one no longer encrypt or sign; 0 for no limit' },
    'deletion-allowed': { ...SWITCH, summary: 'Whether the key may be deleted' },
    exportable: { ...SWITCH, summary: 'Whether the key may be exported; cannot be taken back' },
    'allow-plaintext-backup': { ...SWITCH, summary: 'Whether the key may be backed up in plaintext; cannot be taken back' },
    'auto-rotate-period': { kind: 'text', value: 'duration', summary: 'The time between rotations; 0 for never' },
  },
  positionals: [NAME],
  example: 'keys config customers --min-decryption-version 2',
  async run({ options, args, session }) {
    const key = await (await transitOf(session, options.mount)).configureKey({
      name: args[0] as string,
      min_decryption_version: options['min-decryption-version'],
      min_encryption_version: options['min-encryption-version'],
      deletion_allowed: asBoolean(options['deletion-allowed']),
      exportable: asBoolean(options.exportable),
      allow_plaintext_backup: asBoolean(options['allow-plaintext-backup']),
      auto_rotate_period: options['auto-rotate-period'],
    })
    return shown(key)
  },
})

const asBoolean = (text: string | undefined): boolean | undefined => (text === undefined ? undefined : text === 'true')

export const keysTrim = command({
  name: 'keys trim',
  summary: 'Remove old versions of a key permanently',
  details: 'Set both minimum versions first, with keys config. Ciphertexts of the removed versions can never be decrypted again.',
  options: {
    mount: MOUNT,
    'min-available-version': { kind: 'integer', required: true, summary: 'Versions below this one are removed' },
  },
  positionals: [NAME],
  example: 'keys trim customers --min-available-version 2',
  async run({ options, args, session }) {
    const transit = await transitOf(session, options.mount)
    return shown(await transit.trimKey({ name: args[0] as string, min_available_version: options['min-available-version'] }))
  },
})
