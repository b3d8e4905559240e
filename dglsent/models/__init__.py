"""Encoders of one sentence: one file for each family of models, and one for each part that a family has alone.

Where the papers' models are, by their names there:

Shen, Deng, Huang, Chen, "Learning to Compose over Tree Structures via POS Tags"
    TG-HRecNN and TG-HTreeLSTM `tag_guided`, their fusion `fusion`; RecNN `recnn`; TreeLSTM `tree_lstm`; RNTN `rntn`;
    MV-RNN `mv_rnn`; AdaMC-RNN and AdaMC-RNTN `adamc_rnn`; TG-RNN `tg_rnn`; TE-RNN `te_rnn`; TE-LSTM `te_lstm`;
    BiTreeLSTM `bi_tree_lstm`; DC-RecNN and DC-TreeLSTM `dynamic_compositional`; CNN `cnn`; BiLSTM `sequence`.
    Not in the paper, of its kind: `sata_tree_lstm`.
Zhou, Liu, Pan 2016, "Modelling Sentence Pairs with Tree-structured Attentive Encoder"
    attentive Tree-LSTM and Tree-GRU `attentive_tree`; child-sum Tree-LSTM `tree_lstm`; Tree-GRU `tree_gru`; LSTM and
    GRU `sequence`.
Gupta, Zhang 2018, "To Attend or not to Attend"
    modified decomposable attention `decomposable_attention`; progressive attention `progressive_attention`; what they
    attend over: Tree-LSTM `tree_lstm`, BiLSTM `sequence`.
Wu, Zhang, Zong, "A Dynamic Window Neural Network for CCG Supertagging"
    MLP, LSTM and BiLSTM `dynamic_window`; Elman and Jordan networks `window_rnn`; the window `window_gates`; a token's
    input `token_inputs`. `fused_lstm` is only faster.
Liu, Chang, Huang, Tang, Cheung 2019, "Contextualized Non-local Neural Networks for Sequence Learning"
    CN3 `cn3`; PDGraph `pd_graph`; NBOW `bag_of_words`; CNN `cnn`; RNN `elman`; LSTM and BiLSTM `sequence`; TreeLSTM
    `tree_lstm`; SelfAtt1 and SelfAtt3 `self_attention`; SelfAtt2 `lstmn`. For tagging, NBOW is `cn3` without a context.

What all of them offer to tasks is `encoder`.
"""
