import type { acceptList } from '../../src/adapters/http/index.ts'

export declare const LIST_CASES: Readonly<Record<string, (accept: typeof acceptList) => Promise<void>>>
