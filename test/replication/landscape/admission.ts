/** A second implementation of path filters, which uses only paths and their prefixes. */
import { ABSENT } from '../simulation/model.ts'
import { BARE, INNER_MOUNT } from '../simulation/subjects.ts'

export interface Filter {
  readonly mode: 'allow' | 'deny'
  readonly paths: readonly string[]
}

/** The paths that filters can list here. */
export const LISTABLE = ['m1/', 'm2/', 'm3/', 'two/', 'secret/', 'n1/', 'n2/', `n1/${INNER_MOUNT}/`] as const

/** The mounts of every namespace, which are admitted with it. */
const BUILT_IN = ['sys/', 'identity/', 'cubbyhole/', 'auth/token/']

const isListed = ({ paths }: Filter, path: string): boolean => paths.some((candidate) => path.startsWith(candidate))

const admits = (filter: Filter, path: string): boolean => isListed(filter, path) === (filter.mode === 'allow')

/** Whether a namespace's own data is admitted. @param path Empty: the root namespace. */
export const admitsNamespace = (filter: Filter | undefined, path: string): boolean =>
  filter === undefined || path === '' || admits(filter, path)

/** Whether at least the record of a namespace is admitted. */
export const admitsName = (filter: Filter | undefined, path: string): boolean =>
  admitsNamespace(filter, path) || (filter?.mode === 'allow' && filter.paths.some((candidate) => candidate.startsWith(path)))

/** @param namespace The namespace of the mount. @param path Relative to the namespace. */
export function admitsMount(filter: Filter | undefined, namespace: string, path: string): boolean {
  if (BUILT_IN.includes(path)) return admitsNamespace(filter, namespace)
  return filter === undefined || admits(filter, namespace + path)
}

/** The value of a subject on a cluster with this filter. */
export function seenThrough(filter: Filter | undefined, subject: string, value: string): string {
  if (filter === undefined || value === ABSENT) return value
  const [kind, name] = [subject.slice(0, subject.indexOf(':')), subject.slice(subject.indexOf(':') + 1)]
  if (kind === 'space') {
    if (!admitsName(filter, `${name}/`)) return ABSENT
    return value === BARE || admitsMount(filter, `${name}/`, `${INNER_MOUNT}/`) ? value : BARE
  }
  const mount = { v1: 'secret/', v2: 'two/', key: 'transit/', mount: `${name}/` }[kind]
  return mount === undefined || admitsMount(filter, '', mount) ? value : ABSENT
}
