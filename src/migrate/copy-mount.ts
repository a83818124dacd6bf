import { systemClock } from '../core/base/clock.ts'
import { type ItemCopier, type MigrationItem, note, refused, type Sides } from './item.ts'
import { MigrationError } from './migration-error.ts'
import { createMount, type MountInfo, readMounts } from './mount.ts'
import { pathOf } from './party.ts'
import { sameValue } from './same-value.ts'

/** The types of mounts whose content can be read, and therefore copied. */
export const isCopiedType = (type: string): boolean => type === 'kv' || type === 'generic' || type === 'transit'

/** The types of mounts that belong to every server, or whose content belongs to tokens. They are no items of a migration. */
const OWN_TYPES = new Set(['system', 'identity', 'cubbyhole', 'ns_system', 'ns_identity', 'ns_cubbyhole', 'token', 'ns_token'])

export const isOwnType = (type: string): boolean => OWN_TYPES.has(type)

const MAX_UPGRADE_ATTEMPTS = 40
const UPGRADE_DELAY_MS = 250

interface Kv2Config {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly delete_version_after: string
}

const DEFAULT_CONFIG: Kv2Config = { max_versions: 0, cas_required: false, delete_version_after: '0s' }

async function readConfig(caller: Sides['from'], mount: string): Promise<Kv2Config & { readonly needsMetadataCas: boolean }> {
  const { data = {} } = await caller.call('GET', `${pathOf(mount)}config`)
  return {
    max_versions: Number(data['max_versions'] ?? 0),
    cas_required: data['cas_required'] === true,
    delete_version_after: String(data['delete_version_after'] ?? '0s'),
    needsMetadataCas: data['metadata_cas_required'] === true,
  }
}

/** Whether a mount of KV version 1 has no secrets. */
const isEmpty = async ({ to }: Sides, mount: string) => (await to.call('LIST', pathOf(mount.replace(/\/$/, '')))).status === 404

/** @returns why the mount of the target cannot be used. */
async function makeMount(sides: Sides, mount: string, source: MountInfo): Promise<string | undefined> {
  const target = (await readMounts(sides.to)).get(mount)
  if (!target) {
    await createMount(sides.to, mount, source)
    return undefined
  }
  const [from, to] = [source.type === 'transit' ? 'transit' : 'kv', target.type === 'transit' ? 'transit' : target.type]
  if (from !== to && target.type !== source.type) return `the target has a mount of the type ${target.type} at this path`
  if (from === 'transit' || source.version === target.version) return undefined
  if (source.version === 1) return 'the target has version 2 of KV at this path, and the source version 1'
  if (!(await isEmpty(sides, mount))) return 'the target has version 1 of KV with secrets at this path, and the source version 2'
  await sides.to.call('POST', `sys/mounts/${pathOf(mount)}tune`, { options: { version: '2' } })
  await untilUpgraded(sides, mount)
  return undefined
}

/** A mount refuses requests with 400 while it is upgraded. */
async function untilUpgraded({ to }: Sides, mount: string): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await readConfig(to, mount)
      return
    } catch (error) {
      if (!(error instanceof MigrationError) || error.status !== 400 || attempt === MAX_UPGRADE_ATTEMPTS) throw error
      await systemClock.sleep(UPGRADE_DELAY_MS)
    }
}

/** @returns why the configuration of the mount was not copied. */
async function copyConfig({ from, to }: Sides, mount: string): Promise<string | undefined> {
  const { needsMetadataCas, ...source } = await readConfig(from, mount)
  const { needsMetadataCas: _, ...target } = await readConfig(to, mount)
  if (!sameValue(source, target)) {
    if (!sameValue(target, DEFAULT_CONFIG)) return 'the target has another configuration of this mount'
    await to.call('POST', `${pathOf(mount)}config`, source)
  }
  return needsMetadataCas
    ? 'metadata_cas_required was not copied, because it would prevent the copy; set it afterwards'
    : undefined
}

export const MOUNT_COPIER: ItemCopier = {
  async copy(sides, { mount }) {
    const source = (await readMounts(sides.from)).get(mount)
    if (!source) return undefined
    const reason = await makeMount(sides, mount, source)
    if (reason !== undefined) return refused(reason)
    if (source.version !== 2) return undefined
    const limitation = await copyConfig(sides, mount)
    return limitation === undefined ? undefined : note(limitation)
  },
  async verify(sides, { mount }: MigrationItem) {
    const [source, target] = [(await readMounts(sides.from)).get(mount), (await readMounts(sides.to)).get(mount)]
    if (!source || !target) return source ? 'the target lacks the mount' : 'the source lacks the mount'
    if (source.version !== target.version) return 'the versions of the mounts differ'
    return sameValue(source.config, target.config) ? undefined : 'the settings of the mounts differ'
  },
}
