/** Every command in a pseudo terminal, with prompts and progress bars. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ProgramOutcome, type RunningProgram, runInTerminal, terminalMissing } from './installed-program.ts'
import { type OperatorProject, operatorProject, SECRET_VALUE, SHAMIR } from './operator-project.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

const unless = terminalMissing ? ` (${terminalMissing})` : ''

let project: OperatorProject
let runs = 0
beforeAll(async () => {
  if (terminalMissing) return
  project = await operatorProject()
  await project.script('encrypt.mjs', { LINES: '500', OUT: join(project.folder, 'rows.jsonl') })
  project.write('first-share', project.read('shares').trim().split('\n')[0] ?? '')
})

/** Types the answers when their prompts are shown, and Ctrl-C when `until` is shown. */
function typist(prompts: Scenario['prompts'] = [], until?: RegExp): (output: string, child: RunningProgram) => void {
  let answered = 0
  let isStopped = false
  return (output, child) => {
    const [prompt, answer] = prompts[answered] ?? []
    if (prompt !== undefined && output.includes(prompt)) {
      answered++
      child.type(`${answer}\r`)
    }
    if (isStopped || !until?.test(output)) return
    isStopped = true
    child.kill('SIGINT')
  }
}

async function inTerminal(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>
    readonly prompts?: Scenario['prompts']
    readonly until?: RegExp
    readonly showsSecret?: boolean
  } = {},
): Promise<ProgramOutcome> {
  const outcome = await runInTerminal(args, {
    cwd: project.folder,
    ...(options.env && { env: options.env }),
    onOutput: typist(options.prompts, options.until),
  })
  for (const secret of project.secrets) {
    expect(outcome.processArguments).not.toContain(secret)
    if (!options.showsSecret) expect(outcome.stdout).not.toContain(secret)
  }
  expect(outcome.stdout).not.toMatch(/^ {4}at /m)
  return outcome
}

describe.skipIf(terminalMissing).each(Object.entries(SCENARIOS))(`in a terminal${unless}, strongroom %s`, (name, scenario) => {
  const words = name.split(' ')

  it('shows its help', async () => {
    const { code, stdout } = await inTerminal([...words, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: strongroom ${name}`)
  })

  it('succeeds', async () => {
    const fresh = `fresh-${++runs}`
    await scenario.prepare?.(fresh, project)
    const { code, stdout } = await inTerminal(scenario.args(fresh, project), {
      ...(scenario.env && { env: scenario.env(fresh) }),
      ...(scenario.prompts && { prompts: scenario.prompts }),
      ...(scenario.runsOn && { until: /127\.0\.0\.1:\d+/ }),
      showsSecret: scenario.showsSecret === true,
    })
    expect({ code, error: /strongroom: .*/.exec(stdout)?.[0] }).toEqual({ code: 0, error: undefined })
  })

  it('refuses bad arguments with 2', async () => {
    const { code, stdout } = await inTerminal([...words, '--no-such-option'])
    expect(code).toBe(2)
    expect(stdout).toContain("strongroom: Unknown option '--no-such-option'")
  })

  if (scenario.needs !== 'none')
    it('ends with 3 if there is no config', async () => {
      const { code, stdout } = await inTerminal([...scenario.args('no-config', project), '--config', 'missing.mjs'], {
        ...(scenario.prompts && { prompts: scenario.prompts }),
      })
      expect(code).toBe(3)
      expect(stdout).toContain('strongroom: missing.mjs: does not exist')
    })

  const needsUnsealed = scenario.needs === 'store' && scenario.sealed === undefined
  if (needsUnsealed)
    it('ends with 4 if the store is not initialized', async () => {
      const { code, stdout } = await inTerminal(scenario.args('not-initialized', project), {
        env: { STORE: `./empty-${++runs}`, SEAL: 'shamir' },
      })
      expect(code).toBe(4)
      expect(stdout).toContain(
        scenario.showsState ? 'uninitialized' : 'strongroom: the store is not initialized; run strongroom init',
      )
    })

  if (needsUnsealed && name !== 'unseal') {
    it('ends with 4 if the store stays sealed', async () => {
      const { code, stdout } = await inTerminal([...scenario.args('sealed', project), '--shares-file', 'first-share'], {
        env: SHAMIR,
      })
      expect(code).toBe(4)
      expect(stdout).toContain(
        scenario.showsState ? 'sealed' : 'strongroom: the store is sealed: it needs 2 key shares, but got 1',
      )
    })

    if (!scenario.showsState)
      it('asks for the shares of a sealed store, and ends with 130 if this is cancelled', async () => {
        const { code, stdout } = await inTerminal(scenario.args('cancelled', project), {
          env: SHAMIR,
          until: /Enter key share 1 of 2/,
        })
        expect(code).toBe(130)
        expect(stdout).toContain('strongroom: interrupted')
      })
  }

  const wrongKeyCode = scenario.wrongKey ?? 5
  if (scenario.needs === 'store')
    it(`ends with ${wrongKeyCode} if the root key is wrong`, async () => {
      const { code, stdout } = await inTerminal(scenario.args('wrong-key', project), {
        env: { STORE: './store', SEAL: 'wrong' },
        ...(scenario.prompts && { prompts: scenario.prompts }),
      })
      expect(code).toBe(wrongKeyCode)
      expect(stdout).toContain('this key does not open the store')
    })
})

describe.skipIf(terminalMissing)(`prompts in a terminal${unless}`, () => {
  const sharePrompts = (): NonNullable<Scenario['prompts']> =>
    project
      .read('shares')
      .trim()
      .split('\n')
      .map((share, at) => [`Enter key share ${at + 1} of 2`, share] as const)

  it('unseal a store with shares that are not shown', async () => {
    const { code, stdout } = await inTerminal(['unseal'], { env: SHAMIR, prompts: sharePrompts() })
    expect(code).toBe(0)
    expect(stdout).toContain('The store can be unsealed.')
  })

  it('are shown by any command that needs an unsealed store', async () => {
    const { code } = await inTerminal(['keys', 'list'], { env: SHAMIR, prompts: sharePrompts() })
    expect(code).toBe(0)
  })

  it('accept wrong shares, and the command ends with 5', async () => {
    const prompts = sharePrompts().map(([prompt], at) => [prompt, ['ab', 'cd'][at]?.repeat(33) ?? ''] as const)
    expect((await inTerminal(['keys', 'list'], { env: SHAMIR, prompts })).code).toBe(5)
  })

  it('are cancelled with Ctrl-C, and the command ends with 130', async () => {
    const { code, stdout } = await inTerminal(['kv', 'put', 'cancelled', '--field', 'password'], { until: /Enter the secret/ })
    expect(code).toBe(130)
    expect(stdout).toContain('strongroom: interrupted')
    const { stdout: list } = await project.run(['kv', 'list', '--json'])
    expect(JSON.parse(list).keys).not.toContain('cancelled')
  })

  it('read a secret that is then stored as it was typed', async () => {
    await inTerminal(['kv', 'put', 'typed', '--field', 'password'], { prompts: [['Enter the secret', SECRET_VALUE]] })
    const { stdout } = await project.run(['kv', 'get', 'typed', '--field', 'password'])
    expect(stdout).toBe(`${SECRET_VALUE}\n`)
  })
})

describe.skipIf(terminalMissing)(`progress in a terminal${unless}`, () => {
  it('is a bar, and Ctrl-C stops the work at a safe point: the same command continues it', async () => {
    await project.script('encrypt.mjs', { LINES: '20000', OUT: join(project.folder, 'many.jsonl') })
    await project.run(['keys', 'rotate', 'customers'])
    const args = [
      ...['rewrap', '--jsonl', 'many.jsonl', '--field', 'email', '--key', 'customers'],
      ...['--aad', 'customer:{id}', '--out', 'many-rewrapped.jsonl'],
    ]
    const first = await inTerminal(args, { until: /rewrap: \d+ lines/ })
    expect(first.code).toBe(130)
    expect(first.stdout).toMatch(/━/)
    expect(first.stdout).toContain('strongroom: interrupted')
    const second = await inTerminal(args)
    expect(second.code).toBe(0)
    const compared = await project.script('compare.mjs', {
      BEFORE: join(project.folder, 'many.jsonl'),
      AFTER: join(project.folder, 'many-rewrapped.jsonl'),
    })
    expect(compared.stderr).toBe('')
    expect(JSON.parse(compared.stdout)).toMatchObject({ lines: 20_000, versions: [expect.stringMatching(/^v\d$/)] })
  })
})
