/** The built package in a folder of its own, and its program `strongroom` as a child process, without and with a pseudo terminal. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { inRunFolder } from '../fixtures/in-run-folder.ts'

const root = resolve(import.meta.dirname, '../..')

/** No run takes longer unless it waits for something that never comes. */
const MAX_RUN_MS = 60_000

/** The optional peer dependencies that the projects use. */
const PEERS = ['lmdb']

/** A folder for projects that import `strongroom` by name. Built once per run. */
const packageFolder = (): string =>
  inRunFolder('command-line', (folder) => {
    const modules = join(folder, 'node_modules')
    const own = join(modules, 'strongroom')
    mkdirSync(own, { recursive: true })
    execFileSync(process.execPath, [join(root, 'tools/build.mjs'), '--out', join(own, 'dist'), '--no-types'], { cwd: root })
    copyFileSync(join(root, 'package.json'), join(own, 'package.json'))
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object }
    for (const name of [...Object.keys(dependencies), ...PEERS]) {
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir')
    }
  })

/** A new folder in which programs can import `strongroom`. */
export const projectFolder = (): string => mkdtempSync(join(packageFolder(), 'project-'))

/** The path of the program. */
export const programPath = (): string => join(packageFolder(), 'node_modules/strongroom/dist/cli.js')

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Called with everything that was written so far, whenever the program writes. */
  readonly onOutput?: (output: string, child: RunningProgram) => void
  /** Called every five milliseconds. When it returns true, `signal` is sent to the program. */
  readonly until?: () => boolean
  readonly signal?: NodeJS.Signals
}

export interface RunningProgram {
  /** Sends a signal to the program. In a terminal, SIGINT is Ctrl-C. */
  kill(signal: NodeJS.Signals): void
  /** Types a text. */
  type(text: string): void
}

export interface ProgramOutcome {
  /** The exit code; null if the program was killed. */
  readonly code: number | null
  /** The signal that has killed the program. */
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** The command line that the system showed while the program was running. Empty on systems without /proc. */
  readonly processArguments: string
}

export const runProgram = (args: readonly string[], options: RunOptions): Promise<ProgramOutcome> =>
  run(process.execPath, [programPath(), ...args], options)

/** Runs a script of the project. */
export const runScript = (name: string, options: RunOptions): Promise<ProgramOutcome> =>
  run(process.execPath, [join(options.cwd, name)], options)

/** Why no pseudo terminal is available here. */
export const terminalMissing: string | undefined =
  spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0 ? undefined : 'needs `script` of util-linux'

/** Runs the program in a pseudo terminal. `stdout` has everything that the terminal shows. */
export function runInTerminal(args: readonly string[], { input, ...options }: RunOptions): Promise<ProgramOutcome> {
  const words = [process.execPath, programPath(), ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  // Without a size, prompts would have one character in a line. Without `exec`, Ctrl-C would also end the shell, and its status would be 130.
  return run(
    'script',
    ['-qec', `stty cols 120 rows 40; exec ${words.join(' ')}`, '/dev/null'],
    { ...options, ...(input !== undefined && { input }) },
    true,
  )
}

function run(
  command: string,
  args: readonly string[],
  { cwd, env = {}, input, onOutput, until, signal = 'SIGINT' }: RunOptions,
  isTerminal = false,
): Promise<ProgramOutcome> {
  const child = spawn(command, args, { cwd, env: { ...process.env, CI: '', TERM: 'xterm', ...env }, stdio: 'pipe' })
  const processArguments = commandLineOf(child.pid)
  const texts = { stdout: '', stderr: '' }
  const running: RunningProgram = {
    kill: (signal) => void (isTerminal && signal === 'SIGINT' ? child.stdin.write('\x03') : child.kill(signal)),
    type: (text) => void child.stdin.write(text),
  }
  // The program may end before it has read its input.
  child.stdin.on('error', () => {})
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += chunk.toString()
      onOutput?.(texts.stdout + texts.stderr, running)
    })
  // A terminal has no end of input.
  if (input !== undefined) child.stdin.write(input)
  if (!isTerminal) child.stdin.end()
  const poll = setInterval(() => {
    if (!until?.()) return
    clearInterval(poll)
    child.kill(signal)
  }, 5)
  const hung = setTimeout(() => child.kill('SIGKILL'), MAX_RUN_MS)
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code, signal) => {
      clearTimeout(hung)
      clearInterval(poll)
      child.stdin.destroy()
      done({ code, signal, ...texts, processArguments })
    })
  })
}

function commandLineOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
