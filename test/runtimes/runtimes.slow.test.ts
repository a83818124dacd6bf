/** Runs the published package in browsers, Deno and Bun, and in Node for comparison. */

import { join } from 'node:path'
import type { BuildOptions } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROGRAM, type Project, project } from './installed.ts'
import { REPORT, report } from './page.ts'
import { EVERYTHING } from './program/index.ts'
import type { Environment } from './program/library.ts'
import { outputOf, runtime, titleOf } from './runtime.ts'

const program = (rsa: Environment['rsa'], tell: string): string => `
  import * as library from 'strongroom'
  import { forgeRsa } from 'strongroom/crypto/forge'
  import { run } from ${JSON.stringify(PROGRAM)}
  forgeRsa().then((forge) => run({ library, forge, rsa: '${rsa}' })).then((lines) => { ${tell} })`
const PRINTED = 'console.log(JSON.stringify(lines))'
const SENT = `return fetch('${REPORT}', { method: 'POST', body: JSON.stringify(lines) })`

const TARGETS: Readonly<Record<'browser' | 'worker', BuildOptions>> = {
  browser: { platform: 'browser' },
  worker: { platform: 'browser', conditions: ['worker', 'browser'] },
}
/** As in a Node application, only the program itself is bundled. */
const AS_PACKAGE: BuildOptions = { platform: 'neutral', packages: 'external' }

let user: Project
beforeAll(async () => {
  user = project()
  await user.bundle(program('all', PRINTED), 'all.mjs', AS_PACKAGE)
  await user.bundle(program('whole messages', PRINTED), 'encryption.mjs', AS_PACKAGE)
  for (const [name, options] of Object.entries(TARGETS)) {
    await user.bundle(program('none', PRINTED), `${name}.printed.mjs`, options)
    await user.bundle(program('none', SENT), `${name}.sent.mjs`, options)
  }
})
afterAll(() => user[Symbol.dispose]())

const printed = async (command: string, ...args: string[]): Promise<unknown> =>
  JSON.parse(await outputOf(command, args, user.folder))

describe.each(Object.entries(TARGETS))('the package bundled for a %s', (_, options) => {
  it.each([
    ['the main entry point', `export * from 'strongroom'`],
    [
      'the entry points for chosen engines',
      `export * from 'strongroom/kernel'; export * from 'strongroom/engines'; export * from 'strongroom/sys'`,
    ],
    ['the entry point for third-party engines', `export * from 'strongroom/engine'`],
  ])('includes %s without Node adapters, unresolved imports or warnings', async (_, text) => {
    const { warnings, metafile } = await user.bundle(text, 'judged.mjs', options)
    expect(warnings).toEqual([])
    const [output] = Object.values(metafile.outputs)
    expect(output?.imports).toEqual([])
    const read = Object.keys(metafile.inputs).filter((path) => path.includes('/adapters/'))
    expect(read.length).toBeGreaterThan(0)
    expect(read.filter((path) => !path.includes('/platform-web/'))).toEqual([])
  })
})

describe('the package in Node.js', () => {
  it('passes all checks when it is installed', async () => expect(await printed(process.execPath, 'all.mjs')).toEqual(EVERYTHING))
  it.each(Object.keys(TARGETS))('passes all checks when it is bundled for a %s', async (target) => {
    expect(await printed(process.execPath, `${target}.printed.mjs`)).toEqual(EVERYTHING)
  })
})

describe.skipIf(!runtime('chromium'))(titleOf('chromium'), () => {
  it('passes all checks of the package in a page', async () => {
    expect(JSON.parse(await report(runtime('chromium')!, 'page', join(user.folder, 'browser.sent.mjs')))).toEqual(EVERYTHING)
  })
  it('passes all checks of the package in a worker', async () => {
    expect(JSON.parse(await report(runtime('chromium')!, 'worker', join(user.folder, 'worker.sent.mjs')))).toEqual(EVERYTHING)
  })
})

describe.skipIf(!runtime('deno'))(titleOf('deno'), () => {
  const run = (file: string, ...permissions: string[]): Promise<unknown> =>
    printed(runtime('deno')!, 'run', '--no-remote', '--no-lock', '--no-prompt', '--node-modules-dir=manual', ...permissions, file)
  // immer reads NODE_ENV.
  it('passes all checks of the installed package', async () =>
    expect(await run('encryption.mjs', '--allow-env=NODE_ENV')).toEqual(EVERYTHING))
  it.each(Object.keys(TARGETS))('passes all checks of the package bundled for a %s, without any permission', async (target) => {
    expect(await run(`${target}.printed.mjs`)).toEqual(EVERYTHING)
  })
})

describe.skipIf(!runtime('bun'))(titleOf('bun'), () => {
  it('passes all checks of the installed package', async () =>
    expect(await printed(runtime('bun')!, 'all.mjs')).toEqual(EVERYTHING))
  it.each(Object.keys(TARGETS))('passes all checks of the package bundled for a %s', async (target) => {
    expect(await printed(runtime('bun')!, `${target}.printed.mjs`)).toEqual(EVERYTHING)
  })
})
