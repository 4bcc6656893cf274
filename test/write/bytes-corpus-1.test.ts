import { testCorpus } from '../golden/corpus.ts'
import { testBytes } from './bytes.ts'

for (const share of [0, 1]) testCorpus(share, testBytes)
