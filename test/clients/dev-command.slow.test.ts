/** The dev servers that `strongroom serve` starts, used by unmodified clients. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programPath, projectFolder } from '../cli/installed-program.ts'
import { expectPyConsulWorks, pyConsulMissing } from './py-consul.ts'
import { describeVaultClients } from './vault-clients.ts'

const started: ChildProcess[] = []

/** Starts a server by its command, and returns its address. */
async function start(args: readonly string[]): Promise<string> {
  const command = spawn(process.execPath, [programPath(), 'serve', ...args, '--port', '0'], {
    cwd: projectFolder(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(command)
  let output = ''
  for await (const chunk of command.stdout) {
    output += String(chunk)
    const [address] = /http:\/\/\S+/.exec(output) ?? []
    if (address) return address
  }
  throw new Error(`the command ended: ${output}`)
}

afterAll(async () => {
  for (const command of started) {
    command.kill()
    if (command.exitCode === null) await once(command, 'exit')
  }
})

describe('strongroom serve --dev', () => {
  const token = 'dev-only-token'
  let address = ''
  beforeAll(async () => {
    address = await start(['--dev', '--token', token])
  })
  describeVaultClients(() => ({ address, token }))

  it('serves the page of operators', async () => {
    expect((await fetch(`${address}/ui/`)).headers.get('content-type')).toBe('text/html; charset=utf-8')
  })
})

const unless = pyConsulMissing ? ` (skipped: ${pyConsulMissing})` : ''

describe('strongroom serve --dev-consul', () => {
  it.skipIf(pyConsulMissing)(`serves all ACL methods of py-consul${unless}`, async () => {
    const secret = randomUUID()
    await expectPyConsulWorks(await start(['--dev-consul', '--token', secret]), secret)
  })
})
