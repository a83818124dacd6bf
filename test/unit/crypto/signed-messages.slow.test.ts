import { testSignedMessages } from './test-signed-messages.ts'

testSignedMessages('P-384')
testSignedMessages('P-521')
