/** The limits and name rules of each destination type, from the documentation of the services. */
import type { SyncDestination, SyncRules } from '../../sys/sync/port.ts'

export type FakeSyncType = SyncDestination['type']

const KIB = 1024
const unchanged = (name: string): string => name
const upper = (name: string): string => name.toUpperCase()
const lower = (name: string): string => name.toLowerCase()

/** Normalizes a name for GitHub, which does not allow a digit or a reserved prefix at the beginning. */
const repositoryName = (raw: string): string => {
  const name = raw.replace(/[^A-Za-z0-9_]/gu, '_').toUpperCase()
  return /^(?:$|[0-9]|GITHUB_)/.test(name) ? `_${name}` : name
}

/** Normalizes a name for Vercel, which requires a letter at the beginning. */
const projectName = (raw: string): string => {
  const name = raw.replace(/[^A-Za-z0-9_]/gu, '_')
  return /^[A-Za-z]/.test(name) ? name : `ENV_${name}`
}

export const FAKE_SYNC_RULES: Readonly<Record<FakeSyncType, SyncRules>> = {
  'cloud-a-sm': {
    maxNameLength: 512,
    maxValueBytes: 64 * KIB,
    granularityDefault: 'secret-path',
    tags: true,
    normalizeName: (raw) => raw.replace(/[^A-Za-z0-9/_+=.@-]/gu, '_'),
    foldName: unchanged,
  },
  'cloud-b-kv': {
    maxNameLength: 127,
    maxValueBytes: 25 * KIB,
    granularityDefault: 'secret-path',
    tags: true,
    normalizeName: (raw) => raw.replace(/[^0-9A-Za-z-]/gu, '-'),
    foldName: lower,
  },
  'cloud-c-sm': {
    maxNameLength: 255,
    maxValueBytes: 64 * KIB,
    granularityDefault: 'secret-path',
    tags: true,
    normalizeName: (raw) => raw.replace(/[^A-Za-z0-9_-]/gu, '-'),
    foldName: unchanged,
  },
  repohost: {
    maxNameLength: 255,
    maxValueBytes: 48 * KIB,
    granularityDefault: 'secret-key',
    tags: false,
    normalizeName: repositoryName,
    foldName: upper,
  },
  'webhost-project': {
    maxNameLength: 256,
    maxValueBytes: 64 * KIB,
    granularityDefault: 'secret-key',
    tags: false,
    marks: true,
    normalizeName: projectName,
    foldName: unchanged,
  },
}
