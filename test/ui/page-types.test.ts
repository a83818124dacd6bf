import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

it('compiles the scripts of the operator’s page with their types', async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = promisify(execFile)(process.execPath, [tsc, '-p', 'src/ui/jsconfig.json'], { cwd: root })
  expect(await compiled.catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({ stdout: '' })
})
