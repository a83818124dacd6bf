/** The files of the operator's page. They are in the folder `ui/page` of the sources and of the package, one folder away from this module. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const MEDIA_TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

/** The paths of all files below `/ui/`. Only these files can be requested. */
export const PAGE_FILES = [
  'index.html',
  'icon.svg',
  'base.css',
  'forms.css',
  'layout.css',
  'parts.css',
  'tables.css',
  'api.js',
  'app.js',
  'dom.js',
  'format.js',
  'login.js',
  'navigation.js',
  'notices.js',
  'paged-table.js',
  'routes.js',
  'session.js',
  'tables.js',
  'views/audit.js',
  'views/caches.js',
  'views/key.js',
  'views/keys.js',
  'views/lease-folders.js',
  'views/leases.js',
  'views/mounts.js',
  'views/policies.js',
  'views/policy.js',
  'views/replication.js',
  'views/status.js',
  'views/work.js',
] as const

export interface PageFile {
  readonly bytes: Uint8Array
  readonly mediaType: string
  /** A hash of the content, in quotes. */
  readonly etag: string
}

/** Reads all files of the page, by path. @throws The error of the file system if a file is missing. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const folder = new URL('../ui/page/', import.meta.url)
  const files = PAGE_FILES.map(async (path) => {
    const bytes = await readFile(new URL(path, folder))
    const mediaType = MEDIA_TYPES[path.slice(path.lastIndexOf('.') + 1) as keyof typeof MEDIA_TYPES]
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    return [path, { bytes, mediaType, etag }] as const
  })
  return new Map(await Promise.all(files))
}
