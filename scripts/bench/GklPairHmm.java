// The rate on one thread of the library that Java finds as GKL's pair-HMM, with groups as `fastid bench --pairhmm` has them.
import com.intel.gkl.pairhmm.IntelPairHmm;
import java.util.Arrays;
import java.util.Random;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;

public class GklPairHmm {
    static final int REGIONS = 16, REPEATS = 11, WARM = 3;
    static final byte[] LETTERS = {'A', 'C', 'G', 'T'};
    static final Random random = new Random(1);

    static byte letter() {
        return LETTERS[random.nextInt(4)];
    }

    static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    static ReadDataHolder read(byte[] haplotype, int rows) {
        ReadDataHolder read = new ReadDataHolder();
        int first = random.nextInt(haplotype.length - rows + 1);
        read.readBases = Arrays.copyOfRange(haplotype, first, first + rows);
        for (int i = 0; i < rows; ++i)
            if (random.nextInt(100) == 0) read.readBases[i] = letter();
        read.readQuals = filled(rows, 30);
        read.insertionGOP = filled(rows, 45);
        read.deletionGOP = filled(rows, 45);
        read.overallGCP = filled(rows, 10);
        return read;
    }

    static double rate(IntelPairHmm model, int rows, int columns, int nReads, int nHaplotypes) {
        ReadDataHolder[][] reads = new ReadDataHolder[REGIONS][nReads];
        HaplotypeDataHolder[][] haplotypes = new HaplotypeDataHolder[REGIONS][nHaplotypes];
        for (int region = 0; region < REGIONS; ++region) {
            byte[] bases = new byte[columns];
            for (int i = 0; i < columns; ++i) bases[i] = letter();
            for (int i = 0; i < nHaplotypes; ++i) {
                bases[random.nextInt(columns)] = letter();
                haplotypes[region][i] = new HaplotypeDataHolder();
                haplotypes[region][i].haplotypeBases = bases.clone();
            }
            for (int i = 0; i < nReads; ++i) reads[region][i] = read(bases, rows);
        }
        double[] likelihoods = new double[nReads * nHaplotypes];
        double cells = (double) REGIONS * nReads * nHaplotypes * rows * columns;
        int loops = (int) Math.max(1, 1e9 / cells);
        double[] rates = new double[REPEATS];
        for (int repeat = -WARM; repeat < REPEATS; ++repeat) {
            long start = System.nanoTime();
            for (int loop = 0; loop < loops; ++loop)
                for (int region = 0; region < REGIONS; ++region)
                    model.computeLikelihoods(reads[region], haplotypes[region], likelihoods);
            if (repeat >= 0) rates[repeat] = cells * loops / (System.nanoTime() - start);
        }
        Arrays.sort(rates);
        return rates[REPEATS / 2];
    }

    public static void main(String[] args) {
        IntelPairHmm model = new IntelPairHmm();
        if (!model.load(null)) throw new IllegalStateException("the library is not to be loaded");
        PairHMMNativeArguments arguments = new PairHMMNativeArguments();
        arguments.useDoublePrecision = false;
        arguments.maxNumberOfThreads = 1;
        model.initialize(arguments);
        for (int[] group : new int[][] {{8, 4}, {64, 32}})
            for (int[] shape : new int[][] {{101, 162}, {151, 250}, {250, 400}})
                System.out.printf("%s %d x %d, groups of %d x %d: %.2f Gcells/s%n", args[0], shape[0], shape[1], group[0],
                                  group[1], rate(model, shape[0], shape[1], group[0], group[1]));
    }
}
