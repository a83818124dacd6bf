/**
 * file-system-certificate (configsvc.md 6.14).
 */
import { expect, it } from 'vitest'
import { kindNamed } from '../../../../src/configsvc/entries/index.ts'
import { describeKind } from './kind-table.ts'

describeKind({
  kind: 'file-system-certificate',
  full: [
    {
      Kind: 'file-system-certificate',
      Name: 'cert',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Certificate: '/tls/cert.pem',
      PrivateKey: '/tls/key.pem',
    },
  ],
  stored: [{ what: 'no files', sent: {}, stored: { Name: 'web' } }],
  refused: [
    { at: 'Name', what: 'no name', sent: { Name: '' } },
    { at: 'Meta', what: 'a note that is too long', sent: { Meta: { a: 'x'.repeat(513) } } },
    { at: 'PrivateKey', what: 'a path that is invalid', sent: { PrivateKey: {} } },
  ],
})

it('a file-system-certificate has no secret members, because it contains only the path of its key', () => {
  expect(kindNamed('file-system-certificate').secrets).toEqual([])
})
