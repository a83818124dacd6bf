/** Copies transit keys: by backup if the key allows it, otherwise by an export that is wrapped for the target. */
import { ItemChanged, type ItemCopier, type MigrationItem, note, refused, type Sides } from './item.ts'
import { type KeyInfo, keyMethodOf, readKey } from './key-info.ts'
import { type Caller, pathOf } from './party.ts'
import { failedProbe } from './probe-key.ts'
import { sameValue } from './same-value.ts'
import { wrapKey } from './wrap-key.ts'

/** Vault and OpenBao number the key type `hmac` differently in backups. Other servers ignore the parameter. */
async function backupForm(to: Caller): Promise<'vault' | 'openbao'> {
  const shown = await to.call('GET', 'sys/seal-status')
  return String(shown.data?.['version']).startsWith('1.') ? 'vault' : 'openbao'
}

async function copyBackup({ from, to }: Sides, { mount, name }: MigrationItem): Promise<void> {
  const form = await backupForm(to)
  const { data } = await from.call('GET', `${pathOf(mount)}backup/${pathOf(name)}`, undefined, { form })
  if (!data) throw new ItemChanged()
  await to.call('POST', `${pathOf(mount)}restore/${pathOf(name)}`, { backup: data['backup'] })
}

/** @param last The number of versions that the target has. */
async function copyWrapped({ from, to }: Sides, { mount, name }: MigrationItem, key: KeyInfo, last: number): Promise<void> {
  const at = (operation: string) => `${pathOf(mount)}${operation}/${pathOf(name)}`
  const { data: wrapping } = await to.call('GET', `${pathOf(mount)}wrapping_key`)
  const kind = key.supports_signing ? 'signing-key' : key.supports_encryption ? 'encryption-key' : 'hmac-key'
  const format = Object.keys(key.publicKeys).length > 0 ? { format: 'der' } : undefined
  for (let version = last + 1; version <= key.latest_version; version++) {
    const { data } = await from.call('GET', `${at(`export/${kind}`)}/${version}`, undefined, format)
    const exported = (data?.['keys'] as Record<string, string> | undefined)?.[version]
    if (exported === undefined) throw new ItemChanged()
    const ciphertext = wrapKey(String(wrapping?.['public_key']), exported)
    const { type, exportable } = key
    const first = { type, exportable, allow_rotation: true }
    if (version === 1) await to.call('POST', `${at('keys')}/import`, { ciphertext, hash_function: 'SHA256', ...first })
    else await to.call('POST', `${at('keys')}/import_version`, { ciphertext, hash_function: 'SHA256' })
  }
  const { min_encryption_version, deletion_allowed, auto_rotate_period } = key
  await to.call('POST', `${at('keys')}/config`, {
    min_encryption_version,
    deletion_allowed,
    ...(auto_rotate_period > 0 && { auto_rotate_period }),
  })
}

/** The members that must be equal on both sides. */
const settingsOf = ({ imported: _, ...settings }: KeyInfo) => settings

const HMAC_NOTE = 'the key was copied without its HMAC key, so earlier HMACs cannot be verified'

export const KEY_COPIER: ItemCopier = {
  async copy(sides, item) {
    const source = await readKey(sides.from, item.mount, item.name)
    if (!source) return undefined
    const method = keyMethodOf(source)
    if ('reason' in method) return refused(method.reason)
    const isWrapped = method.by === 'wrapped export'
    const target = await readKey(sides.to, item.mount, item.name)
    const isPart =
      target && isWrapped && target.imported && target.type === source.type && target.latest_version <= source.latest_version
    const isCopy = target && sameValue(settingsOf(source), settingsOf(target))
    if (target && !isCopy && !isPart) return refused('the target has another key of this name')
    if (target && (await failedProbe(sides, item, source, target.latest_version)) !== undefined)
      return refused('the target has another key of this name')
    if (!isCopy && isWrapped) await copyWrapped(sides, item, source, target?.latest_version ?? 0)
    else if (!isCopy) await copyBackup(sides, item)
    return isWrapped && source.type !== 'hmac' ? note(HMAC_NOTE) : undefined
  },
  async verify(sides, item) {
    const [source, target] = [await readKey(sides.from, item.mount, item.name), await readKey(sides.to, item.mount, item.name)]
    if (!source || !target) return source ? 'the target lacks the key' : 'the source lacks the key'
    if (!sameValue(settingsOf(source), settingsOf(target))) return 'the settings, versions or public keys differ'
    const version = await failedProbe(sides, item, source, source.latest_version)
    return version === undefined ? undefined : `version ${version} does not decrypt or verify data of the other side`
  },
}
