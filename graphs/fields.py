"""Names of the node and edge fields that a sentence graph may carry."""

# Nodes
WORD = "word"  # id in the word vocabulary; 0 (padding) where a node has no word
TAG = "tag"  # id of the POS tag at a token, of the phrase label at a phrase
CHAR = "char"  # [N, 10] the five leftmost and the five rightmost characters of the word
CHARACTERS = "characters"  # [N, 20] all characters of the word, 0 after the last
CAP = "cap"  # class of capitalisation, 0 where a node has no word
SHAPE = "shape"  # id of the word's shape, such as "Xx-9"
AFFIX = "affix"  # [N, 6] prefixes of 2, 3, 4 characters, suffixes of 2, 3, 4
VECTOR = "vector"  # [N, d] vector of a token that was made elsewhere; zero where a node has no token
MARKS = "marks"  # [N, 2] 1 where the word has a digit, 1 where it has punctuation
POSITION = "position"  # index of a token in its sentence, from 0; -1 at a phrase
LABEL = "label"  # gold label; NO_LABEL where there is none
NO_LABEL = -1
SPAN = "span"  # [N, 2] first token and one past the last token under a node
SENTENCE = "sentence"  # index of the sentence in its batch
REAL = "real"  # 1 at a word, 0 at a padding node
SIDE = "side"  # 0 in the first sentence of a pair, 1 in the second
PAIR = "pair"  # index of the pair in its batch

# Edges, child -> parent
SLOT = "slot"  # order among siblings, from 0; offset in a window
RELATION = "relation"  # id of the dependency relation; in a complete graph, of what the two tokens are to each other
DISTANCE = "distance"  # receiver position minus sender position, in tokens
PMI = "pmi"  # bucket of the two words' pointwise mutual information
LEXICAL = "lexical"  # id of a lexical relation between the two words, 0 where there is none

# Relations (edge types)
CHILD = "child"  # from a child to its parent, a dependent to its head, a word of a chain to the next
NEXT = "next"  # from each word to the next
PREVIOUS = "previous"  # from each word to the one before
PRECEDING = "preceding"  # from each word to every later one
NEIGHBOUR = "neighbour"  # between parent and child, both ways, and from every node to itself
ATTEND = "attend"  # from every node of a sentence to every node of the other of its pair
COMPLETE = "complete"  # from every node of a sentence to every node of it, itself too
