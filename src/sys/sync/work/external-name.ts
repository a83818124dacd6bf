/** Computes the external name of a secret, or of one of the secret's keys. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { MountRecord } from '../../../core/contract/mount-record.ts'
import type { NamespaceRecord } from '../../../core/contract/namespace.ts'
import type { CompiledTemplate } from '../../../core/template/index.ts'
import { renderExternalName } from '../destination/name-template.ts'
import type { SyncDestination } from '../port.ts'
import { readDestinationId } from '../records.ts'
import type { ShownSyncType } from '../types.ts'

export interface ExternalName {
  readonly name: string
  /** The name as the external store compares names: the result of `SyncRules.foldName`. */
  readonly fold: string
}

export interface NameInputs {
  readonly store: SyncDestination
  readonly template: CompiledTemplate
  /** The id of the destination. */
  readonly destination: string
  readonly type: ShownSyncType
  readonly mount: Pick<MountRecord, 'path' | 'accessor'>
  readonly namespace: NamespaceRecord
  readonly path: string
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * @param key The key of the secret; present only with granularity secret-key.
 * @throws KernelError 400 if the external store does not allow the name.
 */
export function externalName(
  { store, template, destination, type, mount, namespace, path }: NameInputs,
  key?: string,
): ExternalName {
  const { name: destinationName } = readDestinationId(destination)
  const mountPath = mount.path.slice(0, -1)
  const namespacePath = namespace.path.slice(0, -1)
  const raw = renderExternalName(template, {
    DestinationType: type,
    DestinationName: destinationName,
    NamespacePath: namespacePath,
    NamespaceBaseName: baseName(namespacePath),
    NamespaceID: namespace.id || 'root',
    MountPath: mountPath,
    MountBaseName: baseName(mountPath),
    MountAccessor: mount.accessor,
    SecretPath: path,
    SecretBaseName: baseName(path),
    ...(key === undefined ? {} : { SecretKey: key }),
  })
  const name = callRules(store, () => store.rules.normalizeName(raw))
  if (name === '') throw invalid('secret_name: its external name must not be empty')
  const { maxNameLength } = store.rules
  // Refuse a name that is too long. Do not shorten it, because two shortened names could be equal.
  if ([...name].length > maxNameLength)
    throw invalid(`secret_name: its external name must have at most ${maxNameLength} characters`)
  return { name, fold: callRules(store, () => store.rules.foldName(name)) }
}

function callRules({ type }: SyncDestination, ask: () => unknown): string {
  let answer: unknown
  try {
    answer = ask()
  } catch {
    answer = undefined
  }
  if (typeof answer === 'string') return answer
  throw new KernelError('ERR_UPSTREAM', `ports.sync[${JSON.stringify(type)}]: normalizeName and foldName must return a string`)
}
