import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { unusedData } from '../../../tools/check-shared-data.mjs'

const root = mkdtempSync(join(tmpdir(), 'shared-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

for (const path of [
  'transcripts/replay.mjs',
  'transcripts/openbao/core/tokens.json',
  'transcripts/openbao/core/mounts.json',
  'transcripts/openbao/golden/shares.json',
  'transcripts/openbao/approle/login.json',
  'vectors/acl/README.md',
  'vectors/acl/bind.json',
  'vectors/wycheproof/mlkem_768_test.json',
  'reference/core.md',
  'reference/transit-vectors.json',
]) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), '')
}

describe('unusedData', () => {
  it('returns every recording and vector if no test has used any', () => {
    expect(unusedData(root, [])).toEqual([
      'reference/transit-vectors.json',
      'transcripts/openbao/core/mounts.json',
      'transcripts/openbao/core/tokens.json',
      'transcripts/openbao/golden/shares.json',
      'vectors/acl/bind.json',
    ])
  })

  it('omits the files and folders that tests have used', () => {
    const notes = ['vectors/acl/', 'transcripts/openbao/core/tokens.json', 'reference/transit-vectors.json']
    expect(unusedData(root, notes)).toEqual(['transcripts/openbao/core/mounts.json', 'transcripts/openbao/golden/shares.json'])
  })

  it('returns nothing for a clone without the folder of shared data', () => {
    expect(unusedData(join(root, 'none'), [])).toEqual([])
  })
})
