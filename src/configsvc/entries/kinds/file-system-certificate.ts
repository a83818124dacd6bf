/**
 * file-system-certificate: the paths of a certificate and its key on the machines where gateway proxies run. This library does not read the
 * files.
 */
import { MESH_ACCESS } from '../common/access.ts'
import { defineKind, type EntryType } from '../kind.ts'
import { text } from '../members/index.ts'
import { anyName } from '../names.ts'

export const fileSystemCertificate = defineKind({
  name: 'file-system-certificate',
  members: { Certificate: text(), PrivateKey: text() },
  nameOf: anyName,
  ...MESH_ACCESS,
})

export type FileSystemCertificate = EntryType<typeof fileSystemCertificate>
