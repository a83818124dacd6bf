/**
 * Hovers of an editor, as the compiler's language service reports them: every member that a user can reach has documentation and an
 * exact type.
 */
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { membersShown } from '../../tools/typed-surface/hover.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
  .replaceAll('\\', '/')
  .replace(/\/$/, '')
const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile)
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
const HEAD = `import type { OwnConfigService } from './config-service.ts'
import type { Kernel, TokenView } from './index.ts'
declare const kernel: Kernel
declare const view: TokenView
declare const service: OwnConfigService
`

describe('every public member of the typed surface', () => {
  const members = membersShown(`${root}/src/probe.ts`, HEAD, options, (file) => file.startsWith(`${root}/src/`))
  const paths = members.map(({ path }) => path)

  it('is found by the scan of this test: methods, parameters and results', () => {
    expect(members.length).toBeGreaterThan(1000)
    const end = (text: string): boolean => paths.some((path) => path.endsWith(text))
    expect(
      ['.transit.encrypt', '.createKey(args).type', '.encrypt().ciphertext', '.rekey.recovery'].filter((text) => !end(text)),
    ).toEqual([])
    expect(end('.cubbyhole.readEntry().data')).toBe(true)
  })

  it('has a doc comment', () => {
    expect(members.filter(({ documentation }) => documentation === '').map(({ path }) => path)).toEqual([])
  })

  it('has a type without `any` and `unknown`, unless this test lists the member as free-form JSON or a handle', () => {
    const loose = members.filter((member) => member.loose).map(({ path }) => path.split('.').slice(-2).join('.'))
    expect(loose.sort()).toEqual([
      'create().Config',
      'create(args).Config',
      'evaluate(args).identity',
      'explain(args).parameters',
      'handle().body',
      'handle(request).body',
      'patchSecret(args).data',
      'readConnection().connection_details',
      'readEntry().data',
      'readSubkeys().subkeys',
      'types.input',
      'types.output',
      'unwrap().answer',
      'update(args).Config',
      'validate().value',
      'wrap(args).data',
      'writeConnection(args).connection_details',
      'writeEntry(args).data',
      'writeSecret(args).data',
      'writeSecret(args).data',
    ])
  })

  it('is reported by this test if it has no doc comment', () => {
    const text =
      'interface Bare { a: number\n/** Told. */ b(c: { d: unknown }): Promise<{ e: any }> }\ndeclare const bare: Bare\n'
    const found = membersShown(`${root}/src/probe.ts`, text, options, (file) => file === `${root}/src/probe.ts`)
    expect(found.map(({ path, documentation, loose }) => [path, documentation, loose])).toEqual([
      ['bare.a', '', false],
      ['bare.b', 'Told.', false],
      ['bare.b(c).d', '', true],
      ['bare.b().e', '', true],
    ])
  })
})

describe("an editor's hover", () => {
  const LINES = {
    method: 'kernel.transit.encrypt',
    parameter: "kernel.transit.createKey({ name: 'a', auto_rotate_period",
    union: "kernel.transit.createKey({ name: 'a', type",
    result: '(await kernel.transit.encrypt({} as never)).ciphertext',
    item: 'kernel.transit.encryptBatch({} as never).then(({ batch_results',
    facade: 'kernel.transit',
    elsewhere: "kernel.transit.at('payments/').sign",
    ofTokens: 'view.cubbyhole.readEntry',
    inNamespace: "kernel.namespace('a').kv2.readSecret",
    sys: 'kernel.rekey.recovery.init',
    seal: 'kernel.seal.configureRotation',
    service: 'kernel.configsvc.policies',
    ofService: 'service.policies.readByName',
    named: '(await service.policies.read({} as never)).ModifyIndex',
    watched: 'service.policies.watch',
  }
  const ENDS: Partial<Record<keyof typeof LINES, string>> = {
    parameter: ": '30d' })",
    union: ": 'hmac' })",
    item: ' }) => batch_results)',
  }
  const file = `${root}/src/probe.ts`
  let text = HEAD
  const positions = new Map<string, number>()
  for (const [name, line] of Object.entries(LINES)) {
    text += line
    positions.set(name, text.length - 1)
    text += `${ENDS[name as keyof typeof LINES] ?? ''};\n`
  }
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name)
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? text : ts.sys.readFile(name)),
  })
  const hover = (name: keyof typeof LINES) => {
    const info = service.getQuickInfoAtPosition(file, positions.get(name) as number)
    const tags = (info?.tags ?? []).map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`)
    return {
      shown: ts.displayPartsToString(info?.displayParts),
      documentation: ts.displayPartsToString(info?.documentation),
      tags,
    }
  }

  it('shows the purpose, path, refusals and example of a method', () => {
    const { documentation, tags } = hover('method')
    expect(documentation).toContain('Encrypts data under a named key')
    expect(documentation).toContain('POST transit/encrypt/:name')
    expect(tags.some((tag) => tag.startsWith('@throws KernelError 400'))).toBe(true)
    expect(tags.some((tag) => tag.startsWith('@example') && tag.includes('await kernel.transit.encrypt({'))).toBe(true)
  })

  it('shows the meaning, unit and default of a parameter', () => {
    const { documentation, tags } = hover('parameter')
    expect(documentation).toContain('Time between automatic rotations')
    expect(documentation).toContain('A number of seconds, or text such as `1h30m`.')
    expect(tags).toEqual(['@defaultValue `0`'])
  })

  it('shows the allowed values of an enumeration', () => {
    expect(hover('union').shown).toContain('"aes256-gcm96" | "chacha20-poly1305"')
  })

  it('shows the members of results and of batch items', () => {
    expect(hover('result').documentation).toContain('`<prefix>:v<version>:<base64>`')
    expect(hover('item').documentation).toContain('One result for each item')
  })

  it('shows documentation for the configuration service of a kernel', () => {
    expect(hover('service').documentation).toContain('Policies, which consist of rules in text form.')
    expect(hover('ofService').documentation).toContain('GET acl/policy/name/+Name')
    expect(hover('ofService').tags.some((tag) => tag.startsWith('@throws KernelError 404'))).toBe(true)
    expect(hover('named').documentation).toContain('The index at which the record was last changed.')
    expect(hover('watched').documentation).toContain('after each change')
  })

  it('shows the documentation of a facade wherever a program can reach the facade', () => {
    expect(hover('facade').documentation).toContain('Encryption, signatures, HMACs and keys')
    for (const name of ['elsewhere', 'ofTokens', 'inNamespace', 'sys', 'seal'] as const)
      expect(hover(name).documentation, name).not.toBe('')
  })
})
