import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'strongroom-publish-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('npm publish fails if package.json lacks repository, homepage, bugs and author', async () => {
  const { repository, homepage, bugs, author, ...manifest } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  cpSync(join(ROOT, 'tools/check-release.mjs'), join(folder, 'tools/check-release.mjs'))
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile('npm', ['publish', '--dry-run'], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error?.code, output: stdout + stderr }),
    )
  })
  expect(code).toBe(1)
  for (const field of ['repository', 'homepage', 'bugs', 'author']) expect(output).toContain(`package.json: ${field}: must be `)
  expect(output).toContain('.github/CODEOWNERS: must have ')
})
